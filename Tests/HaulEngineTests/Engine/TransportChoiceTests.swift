import HTTPTypes
import Haul
import HaulTransport
import Synchronization
import Testing

@testable import HaulEngine

@Suite struct TransportChoiceTests {
    private static let login = Credentials(user: "u", password: "p")

    private func request(_ url: String, _ change: (inout TransferRequest) -> Void = { _ in }) -> TransferRequest {
        var request = TransferRequest(url: url, headers: [:])
        change(&request)
        return request
    }

    @Test(
        arguments: [
            ("http://h/a", .http), ("HTTPS://h/a", .http), ("nonsense", .http), ("", .http), ("ftpx://h/a", .http),
            ("ftp://h/a", .curl), ("FTPES://h/a", .curl), ("ftps://h/a", .curl), ("sftp://h/a", .curl),
        ] as [(String, TransportChoice)])
    func byScheme(url: String, choice: TransportChoice) { #expect(TransportChoice(request(url)) == choice) }

    @Test("every proxy with and without credentials", arguments: Proxy.Scheme.allCases, [true, false])
    func byProxy(scheme: Proxy.Scheme, hasLogin: Bool) {
        for url in ["http://h/a", "https://h/a", "ftp://h/a"] {
            let request = request(url) {
                $0.proxy = Proxy(scheme, host: "p", port: 1, credentials: hasLogin ? Self.login : nil)
            }
            let isPlain = scheme == .http || (scheme == .socks5h && !hasLogin)
            #expect(TransportChoice(request) == (isPlain && url != "ftp://h/a" ? .http : .curl))
        }
    }

    @Test(arguments: Authentication.Scheme.allCases)
    func byAuthentication(scheme: Authentication.Scheme) {
        #expect(
            TransportChoice(request("http://h/a") { $0.authentication = Authentication([scheme], Self.login) }) == .curl
        )
    }

    @Test("certificates and addresses are for both")
    func otherNeeds() {
        let request = request("https://h/a") {
            $0.clientCertificate = ClientCertificate(certificatePath: "/c")
            $0.localAddress = "127.0.0.2"
        }
        #expect(TransportChoice(request) == .http)
    }

    @Test func eachGoesWhereItBelongs() async {
        let (http, curl) = (Spy(), Spy())
        let router = TransportRouter(http: http, curl: curl)
        _ = router.start(request("http://h/a"), sink: Deaf())
        _ = router.start(request("sftp://h/a"), sink: Deaf())
        await router.shutdown()
        #expect(http.urls.withLock { $0 } == ["http://h/a", "down"])
        #expect(curl.urls.withLock { $0 } == ["sftp://h/a", "down"])
    }

    @Test("without libcurl a file server is refused with a sentence, and what is left is asked of the other")
    func absent() async throws {
        let http = Spy()
        let absent = AbsentTransport(web: http)
        let sink = Deaf()
        _ = absent.start(request("ftp://h/a"), sink: sink)
        for await outcome in sink.outcomes.stream {
            guard case .failed(let error) = outcome else { return #expect(Bool(false)) }
            #expect(error.kind == .unusable && error.detail.contains("this build of Haul does not support FTP"))
            break
        }
        _ = absent.start(request("http://h/a"), sink: sink)
        #expect(http.urls.withLock { $0 } == ["http://h/a"])
    }

    private final class Spy: Transport {
        let urls = Mutex<[String]>([])
        struct Handle: TransferHandle {
            func cancel() {}
            func wake() {}
        }
        func start(_ request: TransferRequest, sink: any TransferSink) -> any TransferHandle {
            urls.withLock { $0.append(request.url) }
            return Handle()
        }
        func eventLoopExecutor() -> (any TaskExecutor)? { nil }
        func shutdown() async { urls.withLock { $0.append("down") } }
    }

    private final class Deaf: TransferSink {
        let outcomes = AsyncStream<TransferOutcome>.makeStream()
        func head(_ response: HTTPResponse) -> HeadVerdict { .reject }
        func body(_ bytes: RawSpan) -> BodyVerdict { .enough }
        func woken() -> BodyVerdict { .more }
        func finished(_ outcome: TransferOutcome) { outcomes.continuation.yield(outcome) }
    }
}
