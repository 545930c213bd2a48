import HaulTesting
import Testing

extension FaultServerTests {
    struct BodyFaultTests {
        private let file = FaultServerTests.file

        @Test(arguments: [1, 1000, -1000, -5000] as [Int64])
        func shiftsTheContentUnderARightHead(_ distance: Int64) async throws {
            try await withResponse(.contentShifted(by: distance), "Range: bytes=2000-2999") { client, _ in
                let response = try #require(client.readResponse())
                let start = max(0, 2000 + distance)
                #expect(response.head["Content-Range"] == "bytes 2000-2999/300000")
                #expect(response.body == file.bytes(start..<(start + 1000)))
            }
        }

        @Test func turnsTheBitsOfOneByte() async throws {
            try await withResponse(.flipped(at: 70_000).flipped(at: 5), "Range: bytes=10-") { client, _ in
                var expected = file.bytes(10..<300_000)
                expected[69_990] ^= 0xFF
                #expect(client.readResponse()?.body == expected)
            }
        }

        @Test func sendsLessThanAnnounced() async throws {
            try await withResponse(.bodyShorter(by: 1)) { client, _ in
                #expect(client.readHead()?["Content-Length"] == "300000")
                #expect(client.readAll() == file.bytes(0..<299_999) && client.end == .finished)
            }
        }

        @Test func sendsMoreThanAnnouncedAndStaysOpen() async throws {
            try await withResponse(.bodyLonger(by: 7), patience: .milliseconds(100)) { client, _ in
                #expect(client.readResponse()?.body == file.allBytes)
                #expect(client.readAll() == [UInt8](repeating: 0x58, count: 7) && client.end == .silent)
            }
        }

        @Test(arguments: [Framing.untilClose, .length, .chunked(size: 4096)])
        func neverEnds(_ framing: Framing) async throws {
            try await withResponse(.endless(framing)) { client, _ in
                let head = try #require(client.readHead())
                #expect((head["Content-Length"] == "300000") == (framing == .length))
                let count = 5_000_000
                #expect(client.read(count).count == count)
            }
        }

        @Test func compressesThoughNobodyAsked() async throws {
            try await withResponse(.gzipped(), "Range: bytes=0-99999", "Accept-Encoding: identity") { client, _ in
                let response = try #require(client.readResponse())
                #expect(
                    response.head["Content-Encoding"] == "gzip"
                        && response.head["Content-Range"] == "bytes 0-99999/300000")
                #expect(decode(response.body) == file.bytes(0..<100_000))
            }
        }

        @Test func endsWithTheConnection() async throws {
            try await withResponse(.withoutLength()) { client, _ in
                let head = try #require(client.readHead())
                #expect(
                    head["Content-Length"] == nil && head["Transfer-Encoding"] == nil && head["Connection"] == "close")
                #expect(client.readAll() == file.allBytes && client.end == .finished)
            }
        }

        @Test(arguments: [1000, 8192, 1 << 20])
        func sendsChunks(_ size: Int) async throws {
            try await withResponse(.chunked(size: size), patience: .milliseconds(300)) { client, _ in
                let head = try #require(client.readHead())
                #expect(head["Transfer-Encoding"] == "chunked" && head["Content-Length"] == nil)
                let chunks = Chunks(client.readAll())
                #expect(chunks.bytes == file.allBytes && chunks.end == .last && client.end == .silent)
            }
        }

        @Test func sendsABrokenChunkSize() async throws {
            let fault = ChunkFault.size("zz", after: 10_500)
            try await withResponse(.chunked(size: 1000, fault), patience: .milliseconds(300)) { client, _ in
                _ = client.readHead()
                let chunks = Chunks(client.readAll())
                #expect(chunks.bytes == file.bytes(0..<10_500) && chunks.end == .bad("zz"))
            }
        }

        @Test func leavesTheLastChunkOut() async throws {
            try await withResponse(.chunked(size: 1000, .noLastChunk)) { client, _ in
                _ = client.readHead()
                let chunks = Chunks(client.readAll())
                #expect(chunks.bytes == file.allBytes && chunks.end == .missing && client.end == .finished)
            }
        }
    }
}

/// A chunked body taken apart.
struct Chunks {
    enum End: Equatable { case last, missing, bad(String) }

    private(set) var bytes: [UInt8] = []
    private(set) var end = End.missing

    init(_ body: [UInt8]) {
        var rest = body[...]
        while let lineEnd = rest.firstIndex(of: 13) {
            let text = String(decoding: rest[..<lineEnd], as: UTF8.self)
            guard let size = Int(text, radix: 16) else {
                end = .bad(text)
                return
            }
            rest = rest[lineEnd...].dropFirst(2)
            if size == 0 {
                if rest.elementsEqual([13, 10]) { end = .last }
                return
            }
            guard rest.count >= size + 2 else { return }
            bytes += rest.prefix(size)
            rest = rest.dropFirst(size + 2)
        }
    }
}
