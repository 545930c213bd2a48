/// One JSON object on one line (RFC 8259), with its members in the order in which they were added.
struct JSONObject: Sendable {
    private var members = ""

    init() {}

    /// The object as text, without a line end.
    var text: String { "{\(members)}" }

    mutating func add(_ name: String, _ value: String?) { member(name, value.map(Self.quoted)) }
    mutating func add(_ name: String, _ value: Int64?) { member(name, value.map { "\($0)" }) }
    mutating func add(_ name: String, _ value: Int) { member(name, "\(value)") }
    mutating func add(_ name: String, _ value: Bool) { member(name, value ? "true" : "false") }
    mutating func add(_ name: String, _ value: JSONObject) { member(name, value.text) }

    /// Adds a number with three decimals; null for infinity and NaN, which JSON cannot represent.
    mutating func add(_ name: String, _ value: Double?) { member(name, value.flatMap(Self.number)) }

    private mutating func member(_ name: String, _ json: String?) {
        if !members.isEmpty { members += "," }
        members += "\(Self.quoted(name)):\(json ?? "null")"
    }

    private static func number(_ value: Double) -> String? {
        guard value.isFinite else { return nil }
        guard abs(value) < 1e15 else { return "\(value)" }
        let thousandths = (value * 1000).rounded() / 1000
        return thousandths == thousandths.rounded() ? "\(Int64(thousandths))" : "\(thousandths)"
    }

    /// Returns a JSON string (RFC 8259 section 7).
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
                let hex = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
