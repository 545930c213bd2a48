import HTTPTypes
import HaulTestData
import HaulTesting
import Testing

@testable import HaulTransportCurl

@Suite struct CurlHeadReaderTests {
    private func read(_ lines: [String]) -> CurlHeadReader.Step {
        var reader = CurlHeadReader()
        for line in lines {
            let step = reader.take(Array((line + "\r\n").utf8))
            if step != .more { return step }
        }
        return .more
    }

    @Test func readsAHead() {
        let step = read([
            "HTTP/1.1 206 Partial Content", "ETag:  \"x\" ", "X: 1", "x: 2", "Folded: a", "\t b", "Empty:", "no colon",
            "Bad Name: x", ": x", "Blank : y", "Umlaut: " + "\u{E4}", "",
        ])
        guard case .head(let head) = step else { return #expect(Bool(false), "\(step)") }
        #expect(head.status.code == 206)
        #expect(head.status.reasonPhrase == "Partial Content")
        #expect(head.headerFields[.eTag] == "\"x\"")
        #expect(head.headerFields.map(\.value) == ["\"x\"", "1", "2", "a b", "", "y", "ä"])
    }

    @Test(arguments: [
        "HTTP/1.0 200", "HTTP/1.1 200 ", "HTTP/1.1 200 OK", "HTTP/2 200", "HTTP/2.0 200 OK", "HTTP/1.2 200 OK",
    ])
    func firstLines(line: String) {
        guard case .head(let head) = read([line, ""]) else { return #expect(Bool(false)) }
        #expect(head.status.code == 200)
    }

    @Test func interimAnswersAreSkipped() {
        let step = read(["HTTP/1.1 103 Early Hints", "Link: </a>", "", "HTTP/1.1 204 No Content", ""])
        guard case .head(let head) = step else { return #expect(Bool(false)) }
        #expect(head.status.code == 204)
        #expect(head.headerFields.isEmpty)
    }

    @Test(arguments: [
        ["HTTP/1.1 20", ""], ["HTTP/x 200", ""], ["HTTP/1.1 2 0", ""], ["HTTP/1.1 2000", ""], ["HTTP/1.1  200", ""],
        ["HTTP/1.1 -20 x", ""],
        ["HTTP/1.1 099 x", ""], ["ICY 200 OK"], ["X: y"], [""],
        ["HTTP/1.1 200", "\rX: y", ""], ["HTTP/1.1 200", "Content-Length 5", ""],
        ["HTTP/1.1 200", "Content-Length : 5", ""],
        ["HTTP/1.1 200", "Transfer-Encoding : chunked", ""], ["HTTP/1.1 200", "X Content-Length: 5", ""],
        ["HTTP/1.1 200", "Content-Length:", " 5", ""], ["HTTP/1.1 200", "Transfer-Encoding:", " chunked", ""],
        ["HTTP/1.1 200", " Content-Length: 5", ""], ["HTTP/1.1 200", "Content-Length: 5, 6", ""],
        ["HTTP/1.1 200", "Content-Length: 5 5", ""], ["HTTP/1.1 200", "Content-Length: 5,", ""],
        ["HTTP/1.1 200", "Content-Length: 5", "Content-Length: 6", ""], ["HTTP/1.1 200", "Content-Length: -5", ""],
        ["HTTP/1.1 200", "Content-Length: ", ""], ["HTTP/1.1 200", "Content-Length: 99999999999999999999", ""],
    ])
    func broken(lines: [String]) {
        guard case .broken(let why) = read(lines) else { return #expect(Bool(false)) }
        #expect(!why.isEmpty)
    }

    @Test func theSameLengthTwiceIsOne() {
        guard case .head = read(["HTTP/1.1 200", "Content-Length: 5", "Content-Length: 5", ""]) else {
            return #expect(Bool(false))
        }
    }

    @Test(
        "what ends the body, and the length that is left",
        arguments: [
            (["Content-Length: 5"], .libcurl, "5"), (["Content-Length: 5, 5"], .libcurl, "5"),
            (["Content-Length: 005", "content-length:5"], .libcurl, "5"), ([], .libcurl, nil),
            (["Transfer-Encoding: chunked"], .chunks, nil),
            (["Content-Length: 5", "Transfer-Encoding: Chunked"], .chunks, nil),
            (["Transfer-Encoding: identity, chunked", "Content-Length: 5"], .chunks, nil),
            (["Transfer-Encoding: identity", "Content-Length: 5"], .count(5), "5"),
            (["Transfer-Encoding:", "Content-Length: 5"], .count(5), "5"),
            (["Transfer-Encoding: identity"], .libcurl, nil),
        ] as [([String], CurlHeadReader.BodyEnd, String?)])
    func bodyEnds(lines: [String], end: CurlHeadReader.BodyEnd, length: String?) {
        var reader = CurlHeadReader()
        for line in ["HTTP/1.1 200"] + lines { #expect(reader.take(Array(line.utf8)) == .more) }
        guard case .head(let head) = reader.take([]) else { return #expect(Bool(false)) }
        #expect(reader.bodyEnd == end && head.headerFields[.contentLength] == length)
    }

    @Test(arguments: [(CurlHeadReader.largest - 22, true), (CurlHeadReader.largest, false)])
    func size(filler: Int, isAccepted: Bool) {
        let step = read(["HTTP/1.1 200", "X: " + String(repeating: "f", count: filler - 14), ""])
        if case .head = step { #expect(isAccepted) } else { #expect(!isAccepted) }
    }

    @Test func survivesAnyLines() {
        var random = SeededGenerator(seed: 2)
        let words = [
            "HTTP/1.1 ", "200", "\r\n", "Content-Length", ":", " ", "5", "Transfer-Encoding", "\u{0}", "é", "\t",
        ]
        for _ in 0..<5000 {
            var reader = CurlHeadReader()
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                var line = Array(
                    (0..<Int.random(in: 0...5, using: &random)).map { _ in words.randomElement(using: &random) ?? "" }
                        .joined().utf8)
                if Bool.random(using: &random) { line.append(UInt8.random(in: 0...255, using: &random)) }
                if case .head(let head) = reader.take(line) { #expect((200...999).contains(head.status.code)) }
            }
        }
    }
}
