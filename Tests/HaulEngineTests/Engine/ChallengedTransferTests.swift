import HTTPTypes
import Haul
import HaulTransport
import Synchronization
import Testing

@testable import HaulEngine

@Suite("Transfers that log in in the way that the server offers")
struct ChallengedTransferTests {
    /// Answers from a list, and remembers what it was asked.
    private final class Server: Sendable {
        private struct State {
            var answers: [HTTPResponse]
            var requests: [TransferRequest] = []
        }

        private let state: Mutex<State>

        init(_ answers: [HTTPResponse]) { state = Mutex(State(answers: answers)) }

        var requests: [TransferRequest] { state.withLock { $0.requests } }

        func send(_ request: TransferRequest, _ sink: any TransferSink) -> any TransferHandle {
            let answer = state.withLock { state in
                state.requests.append(request)
                return state.answers.removeFirst()
            }
            let isRejected = sink.head(answer) == .reject
            sink.finished(isRejected ? .rejected : .complete)
            return Handle()
        }
    }

    private struct Handle: TransferHandle {
        func cancel() {}
        func wake() {}
    }

    private final class Sink: TransferSink {
        let received = Mutex<(statuses: [Int], outcomes: [TransferOutcome])>(([], []))

        func head(_ response: HTTPResponse) -> HeadVerdict {
            received.withLock { $0.statuses.append(response.status.code) }
            return response.status.code == 200 ? .accept : .reject
        }
        func body(_ bytes: RawSpan) -> BodyVerdict { .more }
        func woken() -> BodyVerdict { .more }
        func finished(_ outcome: TransferOutcome) { received.withLock { $0.outcomes.append(outcome) } }
    }

    private static let all = Authentication(
        Set(Authentication.Scheme.allCases), Credentials(user: "u", password: "p"))

    private static func answer(_ status: Int, _ challenges: String...) -> HTTPResponse {
        var fields = HTTPFields()
        for challenge in challenges { fields.append(HTTPField(name: .wwwAuthenticate, value: challenge)) }
        return HTTPResponse(status: HTTPResponse.Status(code: status), headerFields: fields)
    }

    /// What each request said of the user.
    private func ways(_ url: String, _ server: Server, _ known: KnownSchemes, _ sink: Sink) -> [String] {
        let request = TransferRequest(url: url, headers: [:])
        let transfer = ChallengedTransfer(sink, request, Self.all, known: known, at: "o")
        let before = server.requests.count
        _ = transfer.start { server.send($0, $1) }
        return server.requests[before...].map { request in
            request.headers[.authorization] ?? request.authentication?.schemes.first?.rawValue ?? "none"
        }
    }

    @Test("without TLS, the password is sent only when it is asked for, and then with every request")
    func plain() {
        let (server, known, sink) = (
            Server([Self.answer(401, "Basic realm=a"), Self.answer(200), Self.answer(200)]), KnownSchemes(), Sink()
        )
        #expect(ways("http://o/f", server, known, sink) == ["none", "Basic dTpw"])
        #expect(ways("http://o/g", server, known, sink) == ["Basic dTpw"])
        #expect(sink.received.withLock { $0.statuses } == [200, 200])
        #expect(sink.received.withLock { $0.outcomes } == [.complete, .complete])
    }

    @Test("a digest is preferred, and remembered")
    func digest() {
        let both = Self.answer(401, "Basic realm=a", "Digest realm=a, nonce=b")
        let (server, known, sink) = (Server([both, Self.answer(200), Self.answer(200)]), KnownSchemes(), Sink())
        #expect(ways("http://o/f", server, known, sink) == ["none", "digest"])
        #expect(ways("http://o/f", server, known, sink) == ["digest"])
    }

    @Test("over TLS, the password is sent at once; refused in every way, the last answer is the one that counts")
    func secure() {
        let both = Self.answer(401, "Negotiate", "NTLM", "Basic realm=a")
        let (server, known, sink) = (Server([both, both, both]), KnownSchemes(), Sink())
        #expect(ways("HTTPS://o/f", server, known, sink) == ["Basic dTpw", "ntlm", "negotiate"])
        #expect(sink.received.withLock { $0.statuses } == [401])
        #expect(sink.received.withLock { $0.outcomes } == [.rejected])
    }

    @Test("a server that wants nobody's name is asked once")
    func open() {
        let (server, sink) = (Server([Self.answer(200)]), Sink())
        #expect(ways("http://o/f", server, KnownSchemes(), sink) == ["none"])
        #expect(sink.received.withLock { $0.outcomes } == [.complete])
    }

    @Test("where the build can't log in as asked, the server's own answer counts")
    func unusable() {
        let challenge = Self.answer(401, "Digest realm=a")
        let (server, sink) = (Server([challenge]), Sink())
        let request = TransferRequest(url: "http://o/f", headers: [:])
        let transfer = ChallengedTransfer(sink, request, Self.all, known: KnownSchemes(), at: "o")
        _ = transfer.start { request, sink in
            guard request.authentication == nil else {
                sink.finished(.failed(TransportError(.unusable, "not built in")))
                return Handle()
            }
            return server.send(request, sink)
        }
        #expect(sink.received.withLock { $0.statuses } == [401])
        #expect(sink.received.withLock { $0.outcomes } == [.rejected])
    }

    @Test("cancelled between two attempts, it ends as cancelled")
    func cancelled() {
        let sink = Sink()
        let request = TransferRequest(url: "http://o/f", headers: [:])
        let transfer = ChallengedTransfer(sink, request, Self.all, known: KnownSchemes(), at: "o")
        let first = Mutex<(any TransferSink)?>(nil)
        let handle = transfer.start { _, sink in
            first.withLock { $0 = sink }
            return Handle()
        }
        #expect(first.withLock { $0 }?.head(Self.answer(401, "Basic realm=a")) == .reject)
        handle.cancel()
        first.withLock { $0 }?.finished(.rejected)
        #expect(sink.received.withLock { $0.outcomes } == [.cancelled])
    }
}
