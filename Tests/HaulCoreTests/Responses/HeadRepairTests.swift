import HaulTestData
import Testing

@testable import HaulCore

@Suite struct HeadRepairTests {
    private func repaired(_ lines: String...) -> String {
        let head = (["HTTP/1.1 200 OK"] + lines + ["", ""]).joined(separator: "\r\n").latin1
        let lines = String(decoding: HeadRepair.repaired(head), as: UTF8.self)
        #expect(lines.hasPrefix("HTTP/1.1 200 OK\r\n") && lines.hasSuffix("\r\n"))
        return String(lines.dropFirst("HTTP/1.1 200 OK".count + 1).dropLast(1))
    }

    @Test func theEndOfAHead() {
        #expect(HeadRepair.end(of: "HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody".utf8) == .init(count: 25, isClean: true))
        #expect(HeadRepair.end(of: "HTTP/1.1 200 OK\nA: b\n\nbody".utf8) == .init(count: 22, isClean: true))
        #expect(HeadRepair.end(of: "\r\nHTTP/1.1 200 OK\r\n\r\n".utf8) == .init(count: 21, isClean: true))
        #expect(HeadRepair.end(of: "HTTP/1.1 200 OK\r\nA: b\r\n".utf8) == nil)
        #expect(HeadRepair.end(of: [UInt8]()) == nil)
    }

    @Test(
        "what makes a head unclean",
        arguments: [
            ("A: b", true), ("A: b\r\n c", true), ("no colon", false), ("A: \u{E4}", false), ("A: \u{1}", false),
            ("A: \u{7F}", false), ("A:\tb", true), ("A: b\r\n\tc", true), ("A: b\t", false), ("A: b ", true),
        ])
    func unclean(line: String, isClean: Bool) {
        let bytes = "HTTP/1.1 200 OK\r\n\(line)\r\n\r\nbody\u{FF}".latin1
        #expect(HeadRepair.end(of: bytes) == .init(count: bytes.count - 5, isClean: isClean))
    }

    @Test("a line without a colon that may be a status line is removed from the first response only")
    func statusLines() {
        let head = "HTTP/1.1 200 OK\r\nConteHTTP/1.1 404 Not Found\r\nno colon\r\nA: b\r\n\r\n".latin1
        #expect(HeadRepair.repaired(head) == "HTTP/1.1 200 OK\r\nA: b\r\n\r\n".latin1)
        #expect(
            HeadRepair.repaired(head, isFirstResponse: false)
                == "HTTP/1.1 200 OK\r\nConteHTTP/1.1 404 Not Found\r\nA: b\r\n\r\n".latin1)
    }

    @Test func valuesBecomeText() {
        #expect(repaired("A: \u{E4}", "B: \u{80}", "C: " + "ä".utf8Bytes) == "A: ä\r\nB: €\r\nC: ä\r\n")
        #expect(repaired("A: a\u{1}b\u{0}c\u{7F}d\te") == "A: a b c d\te\r\n")
        #expect(repaired("A: \u{E4}", "\t\u{FC}") == "A: ä\r\n\tü\r\n")
    }

    @Test("in Location each byte stays what it is")
    func locations() {
        #expect(repaired("Location: /\u{E4}\u{1}" + "ä".utf8Bytes) == "Location: /%E4%01%C3%A4\r\n")
        #expect(repaired("LOCATION:/\u{E4}") == "LOCATION:/%E4\r\n")
    }

    @Test("different ETags stay different, and become malformed")
    func tags() {
        #expect(repaired("ETag: \"a\u{1}\"") == "ETag:¬%22%61%01%22\r\n")
        #expect(repaired("etag: \"a\"") == "etag: \"a\"\r\n")
        let tags = ["\u{1}", "\u{2}", " ", "\u{7F}", "\u{E9}", "é".utf8Bytes, "\u{80}", "\u{1} ", "%01", "¬".utf8Bytes]
        #expect(Set(tags.map { repaired("ETag: \"\($0)\"") }).count == tags.count)
    }

    @Test func linesWithoutAColonGo() {
        #expect(repaired("A: b", "nosniff", " and more", "C: d") == "A: b\r\nC: d\r\n")
    }

    @Test(
        "what is about the body is left alone",
        arguments: [
            "Content-Length: 5\u{1}", "Transfer-Encoding: chunked\u{0}", "content-length 5",
            "X-Transfer-Encoding: \u{1}",
            "Content-Range: bytes 0-\u{1}1/2", "Transfer-Encoding:\r\n \u{1}chunked",
        ])
    func bodies(line: String) { #expect(repaired(line) == line + "\r\n") }

    @Test("white space at the end of a transfer coding is removed")
    func codings() {
        #expect(
            repaired("Transfer-Encoding: chunked \t", "Content-Length:\t")
                == "Transfer-Encoding: chunked\r\nContent-Length:\r\n")
    }

    @Test("no bytes crash it, and what is repaired needs no further repair")
    func survivesAnything() {
        var random = SeededGenerator(seed: 5)
        let words = ["HTTP/1.1 200", "\r\n", "\n", "A: ", "location:", ":", " ", "x", "\u{E4}", "\u{1}", "\r"]
        for _ in 0..<3000 {
            let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in words.randomElement(using: &random) ?? ""
            }
            let head = ("HTTP/1.1 200 OK\r\n" + text.joined() + "\r\n\r\n").latin1
            guard let end = HeadRepair.end(of: head) else { continue }
            let repaired = HeadRepair.repaired(Array(head[..<end.count]))
            #expect(HeadRepair.end(of: repaired)?.count == repaired.count)
            #expect(HeadRepair.repaired(repaired) == repaired)
        }
    }
}
