import HaulLibC
package import Logging

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The format of the daemon's log lines.
package enum LogFormat: String, Hashable, Sendable, CaseIterable {
    /// `TIME level message name=value`.
    case text
    /// One JSON object per line.
    case json
    /// `<N>message name=value`, with the priority in the form of sd-daemon(3); the journal adds the time.
    case journald

    /// Returns the default format: the journal's if standard error is connected to it (systemd.exec(5),
    /// `JOURNAL_STREAM`), or else text.
    package static func standard(environment: [String: String]) -> LogFormat {
        guard let stream = environment["JOURNAL_STREAM"] else { return .text }
        var facts = stat()
        // Unsafe: the kernel fills a value that outlives the call.
        guard unsafe fstat(2, &facts) == 0 else { return .text }
        return stream == "\(facts.st_dev):\(facts.st_ino)" ? .journald : .text
    }

    /// The maximum length of a message or value; longer ones are cut.
    static let maximum = 1000

    /// Returns a line of the log, without a line end.
    package func line(_ level: Logger.Level, _ message: String, _ fields: [String: String], at time: Date) -> String {
        let (message, fields) = (
            Self.cut(message), fields.mapValues(Self.cut).sorted { Self.comes($0.key, before: $1.key) }
        )
        switch self {
        case .text: return "\(Self.stamp(time)) \(level) \(message)\(Self.pairs(fields))"
        case .journald: return "<\(Self.priority(level))>\(message)\(Self.pairs(fields))"
        case .json:
            let all = [("time", Self.stamp(time)), ("level", "\(level)"), ("message", message)]
            let members =
                all.map { (Self.quoted($0.0), Self.quoted($0.1)) }
                + fields.map { (Self.quoted($0.key), Self.value($0.value)) }
            return "{\(members.map { "\($0.0):\($0.1)" }.joined(separator: ","))}"
        }
    }

    private static func stamp(_ time: Date) -> String {
        time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// Orders fields by name, with the download first.
    private static func comes(_ first: String, before second: String) -> Bool {
        (first == "download" ? "" : first) < (second == "download" ? "" : second)
    }

    private static func pairs(_ fields: [(key: String, value: String)]) -> String {
        fields.map { field in
            let isPlain = !field.value.isEmpty && !field.value.utf8.contains { $0 <= 0x20 || $0 == 0x22 || $0 == 0x7f }
            return " \(field.key)=\(isPlain ? field.value : quoted(field.value))"
        }
        .joined()
    }

    /// Returns a value in JSON: a number if it is written like one.
    private static func value(_ text: String) -> String {
        let isWhole = Int64(text).map(String.init) == text
        let isDecimal = Double(text).map { $0.isFinite && "\($0)" == text } ?? false
        return isWhole || isDecimal ? text : quoted(text)
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case _ where scalar.value < 0x20 || scalar.value == 0x7f:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            case _: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    private static func cut(_ text: String) -> String {
        text.count > maximum ? text.prefix(maximum) + "…" : text
    }

    /// Returns the priority of syslog(3).
    private static func priority(_ level: Logger.Level) -> Int {
        switch level {
        case .critical: 2
        case .error: 3
        case .warning: 4
        case .notice: 5
        case .info: 6
        case .debug, .trace: 7
        }
    }
}
