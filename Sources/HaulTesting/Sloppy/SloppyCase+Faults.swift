import HaulCore

/// Faults of servers and networks: some once, some in every response.
extension SloppyCase {
    /// The file of these cases.
    public static let faultyFile = Resource.file(seed: 7, size: 3_000_000)

    /// All cases of this family.
    public static let faults: [SloppyCase] = [
        first("cut before the head", .emptyReply()),
        first("cut in the head", .cutInHead(after: 40)),
        right("cut after some bytes, again and again") { _ in .cut(after: 300_000) },
        first("reset before the head", .reset()),
        first("reset in the body", .reset(after: 1_000_000)),
        first("short body", .bodyShorter(by: 1000)),
        right("long body") { _ in .bodyLonger(by: 5000) },
        right("chunked") { _ in .chunked() },
        first("broken chunk size", .chunked(size: 8192, .size("xyz", after: 100_000))),
        first("missing last chunk", .chunked(size: 8192, .noLastChunk)),
        right("no length") { _ in .withoutLength() },
        right("ranges ignored") { _ in .ignoringRange() },
        right("ranges ignored but for the first request") { $0.number == 1 ? .normal : .ignoringRange() },
        first("200 with only a part, the first time", .cut(after: 400_000)),
        right("Content-Range of another offset") { $0.start == 0 ? .normal : .contentRange(.moved(by: 17)) },
        right("Content-Range with another total, once") { $0.number == 2 ? .contentRange(.total(12_345)) : .normal }
            .once(),
        right("Content-Range in another unit") { _ in .contentRange(.unit("items")) },
        right("Content-Range of rubbish") { _ in .contentRange(.text("bytes rubbish")) },
        right("no Content-Range") { _ in .contentRange(.missing) },
        right("another range than asked") { $0.start == 0 ? .normal : .rangeMoved(by: 4096) },
        right("less than asked for") { _ in .partial(atMost: 700_000) },
        right("several parts") { $0.range == nil ? .normal : .multipart() },
        first("429 with Retry-After", .status(429, ["Retry-After": "0"])),
        first("503 with a date", .status(503, ["Retry-After": ServerDate.fromNow(seconds: 0)])),
        first("503 without Retry-After", .status(503)),
        right("500, 502, 504 in turn") { $0.number < 4 ? .status([500, 502, 504][$0.number - 1]) : .normal }.once(),
        first("416 at the start, then right", .status(416)),
        right("interim answers") { _ in .interim(103, ["Link": "</x>"]) },
        right("a slow head") { _ in .slowHead(.microseconds(300)) },
        right("every answer closes the connection") { _ in .closing() },
        fails("404", .notFound) { _ in .status(404) },
        fails("410", .notFound) { _ in .status(410) },
        fails("403", .notAuthorized) { _ in .status(403) },
        fails("401", .notAuthorized) { _ in .status(401) },
        fails("418", .unexpectedStatus) { _ in .status(418) },
        fails("204", .unexpectedStatus) { _ in .status(204) },
        fails("always 503", .serverBusy) { _ in .status(503, ["Retry-After": "0"]) },
        right("gzip in spite of identity") { _ in .gzipped().header("Content-Type", "text/plain") },
        fails("a transfer coding that was not asked for", .contentEncoded) { _ in
            .gzipped().chunked().withoutHeader("Content-Encoding").header("Transfer-Encoding", "gzip, chunked")
        },
        fails("redirect without an end", .redirectRefused) { .redirect(to: "/f?\($0.number)") },
        fails("redirect loop", .redirectRefused) { _ in .redirect(to: "/f") },
        fails("redirect to file", .redirectRefused) { _ in .redirect(to: "file:///etc/passwd") },
        fails("no HTTP at all", .badResponse) { _ in .garbage(Array("SSH-2.0-OpenSSH_9.2\r\n".utf8)) },
        fails("a head without end", .badResponse) { _ in .headerFlood(3 << 20) },
        fails("never answers", .timedOut) { _ in .silence() },
        fails("always cut before the head", .connectionFailed) { _ in .emptyReply() },
    ]

    /// A case that must end with the right file.
    private static func right(_ name: String, _ script: @escaping ServerBehaviour) -> SloppyCase {
        SloppyCase(
            "faults", name, ["/f": faultyFile.script(script)], .file("f"), bytes: faultyFile.allBytes)
    }

    /// A case that must fail with this error.
    private static func fails(
        _ name: String, _ code: DownloadError.Code, _ script: @escaping ServerBehaviour
    ) -> SloppyCase {
        SloppyCase("faults", name, ["/f": faultyFile.script(script)], .fails(code), bytes: faultyFile.allBytes)
    }

    /// A case whose fault occurs only in the first response, and that must end with the right file.
    private static func first(_ name: String, _ script: @autoclosure @escaping @Sendable () -> ServerScript)
        -> SloppyCase
    {
        right(name) { $0.number == 1 ? script() : .normal }.once()
    }
}
