import HaulCore
import HaulOptions
import HaulTestData
import HaulTesting
import Testing

@testable import HaulCLI

@Suite struct HeaderArgumentTests {
    @Test(arguments: [
        ("Accept: text/html", "Accept", "text/html"), ("X-A:b", "X-A", "b"), ("X-A: \t b c \t", "X-A", "b c"),
        ("X-None:", "X-None", ""), ("X-Empty;", "X-Empty", " "),
        ("X-Colon: a:b", "X-Colon", "a:b"), ("!#$%&'*+-.^_`|~: ü", "!#$%&'*+-.^_`|~", "ü"),
    ])
    func headersAreRead(text: String, name: String, value: String) throws {
        #expect(try HeaderArgument(parsing: text).header == DownloadSpec.Header(name: name, value: value))
    }

    @Test(arguments: UInt8.min...127) func onlyTokensAreNames(byte: UInt8) {
        let name = "a" + String(Unicode.Scalar(byte))
        let isToken =
            (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
            || "!#$%&'*+-.^_`|~".utf8.contains(byte)
        #expect(((try? HeaderArgument(name: name, value: "v")) != nil) == isToken)
    }

    @Test(arguments: [
        "Host", "host", "Content-Length", "TRANSFER-ENCODING", "Connection", "If-Modified-Since", "If-Range", "Range",
        "rAnGe",
    ])
    func whatHaulSetsItselfIsRefused(name: String) {
        let error = #expect(throws: DownloadError.self) { try HeaderArgument(parsing: "\(name): 1") }
        #expect(error?.message.hasPrefix("\(name) can't be set: ") == true)
    }

    @Test(arguments: ["a\rb", "a\nb", "a\r\nHost: x", "a\0b", "\n", "a\r\n"])
    func lineBreaksAndNULAreRefused(value: String) {
        let error = #expect(throws: DownloadError.self) { try HeaderArgument(parsing: "X: \(value)x") }
        #expect(error?.message == "the value of X has a line break or a NUL: write it on one line")
    }

    @Test(arguments: ["Authorization Bearer hunter2", "hunter2", ": hunter2", "X: hunter2\n", "Range: hunter2"])
    func messagesNeverHoldTheValue(text: String) {
        let error = #expect(throws: DownloadError.self) { try HeaderArgument(parsing: text) }
        #expect(error?.description.contains("hunter2") == false)
    }

    @Test func anyTextIsSurvived() {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<20_000 {
            guard let read = try? HeaderArgument(parsing: random.text(maximum: 16, of: "aZ-:: \t\r\n\0")) else {
                continue
            }
            #expect(!read.header.name.isEmpty)
            #expect(!read.header.value.utf8.contains { $0 == 0 || $0 == 10 || $0 == 13 })
        }
    }
}
