import HaulCore
import Testing

@Suite("Requests of the system session")
struct SystemRequestTests {
    private static let label = SessionLabel(download: DownloadID(rawValue: 1), source: "a")

    private static func request(_ change: (inout DownloadSpec) -> Void) throws -> SystemRequest {
        var spec = DownloadSpec(url: "https://example.com/a#part", destination: .folder(path: "/tmp"))
        change(&spec)
        return try SystemRequest(spec, label: label)
    }

    @Test("harmless headers are sent, and the fragment is not")
    func plain() throws {
        let request = try Self.request {
            $0.headers = [.init(name: "accept", value: "text/plain"), .init(name: "User-Agent", value: "me")]
            $0.networks = .unmetered
        }
        #expect(request.url == "https://example.com/a" && request.unmeteredOnly)
        #expect(request.headers.map(\.name) == ["Accept-Encoding", "accept", "User-Agent"])
    }

    @Test(
        "what the system can't do, or would send to other hosts, is refused",
        arguments: [
            { $0.url = "ftp://example.com/a" }, { $0.url = "https://me:secret@example.com/a" }, { $0.user = "me" },
            { $0.bearerToken = .text("t") }, { $0.headers = [.init(name: "Cookie", value: "a=b")] },
            { $0.headers = [.init(name: "X-Token", value: "t")] }, { $0.range = ByteRange(0, 5) },
            { $0.insecure = true }, { $0.publicAddressesOnly = true }, { $0.netrcPath = "/n" },
            { $0.cookiePath = "/c" }, { $0.clientCertificatePath = "/k" }, { $0.referer = "https://r/" },
            { $0.compression = .keep }, { $0.method = "POST" }, { $0.body = .init("a") },
        ] as [@Sendable (inout DownloadSpec) -> Void])
    func refused(change: @Sendable (inout DownloadSpec) -> Void) {
        let error = #expect(throws: DownloadError.self) { try Self.request(change) }
        #expect(error?.code == .invalidRequest)
    }
}
