import Foundation
import HaulServer
import Logging
import Testing

@Suite("The daemon's log lines")
struct LogFormatTests {
    private let time = Date(timeIntervalSince1970: 1_700_000_000.25)
    private let fields = [
        "url": "http://h/a?k=REDACTED", "download": "7", "error": "no \"x\"\nthere", "seconds": "0.5",
    ]

    @Test("Text has time, level, message and fields, the download first")
    func text() {
        #expect(
            LogFormat.text.line(.warning, "download failed", fields, at: time)
                == #"2023-11-14T22:13:20.250Z warning download failed download=7 error="no \"x\"\nthere" seconds=0.5 url=http://h/a?k=REDACTED"#
        )
    }

    @Test("JSON is one object a line, its numbers numbers")
    func json() throws {
        let line = LogFormat.json.line(.info, "a \"b\"\u{1}", fields, at: time)
        #expect(!line.contains("\n"))
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(object["message"] as? String == "a \"b\"\u{1}" && object["level"] as? String == "info")
        #expect(object["download"] as? Int == 7 && object["seconds"] as? Double == 0.5)
        #expect(
            object["error"] as? String == fields["error"] && object["time"] as? String == "2023-11-14T22:13:20.250Z")
    }

    @Test(
        "The journal gets the priority of each level and no time",
        arguments: [(Logger.Level.error, 3), (.warning, 4), (.notice, 5), (.info, 6), (.debug, 7)])
    func journald(level: Logger.Level, priority: Int) {
        #expect(LogFormat.journald.line(level, "m", ["a": "1"], at: time) == "<\(priority)>m a=1")
    }

    @Test("A description that fills a screen is cut")
    func cut() {
        let line = LogFormat.text.line(.debug, "m", ["services": String(repeating: "x", count: 20_000)], at: time)
        #expect(line.count < 1100)
    }

    @Test("The journal's form is chosen only if standard error leads there")
    func standard() {
        #expect(LogFormat.standard(environment: [:]) == .text)
        #expect(LogFormat.standard(environment: ["JOURNAL_STREAM": "1:1"]) == .text)
    }
}
