import HaulCore
import HaulOptions

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One download as a JSON object, RFC 8259: `url` or `urls`, and options by the names that `haul get` has.
///
/// Numbers and truth values stand for their texts; `headers` is an object, or an array of `Name: value`; null is as good as left out.
/// An option that has one value may not have an array, not even an empty one: it might be the checksum.
enum ListObject {
    /// Reads an object.
    static func read(_ text: String) -> ListLine {
        do {
            let fields = try JSONDecoder().decode([String: Value].self, from: Data(text.utf8))
            return line(fields)
        } catch {
            // The decoder's own words may repeat a part of the line, which may be a credential.
            return .bad("not a valid JSON object: write {\"url\": \"...\"} on one line")
        }
    }

    private static func line(_ fields: [String: Value]) -> ListLine {
        var urls: [String] = []
        var options: [ListOption] = []
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            let quoted = "\"\(URLRedaction.quoted(name, width: 40))\""
            guard let texts = value.texts else {
                return .bad("\(quoted): expected a string, a number, or true or false")
            }
            if case .several = value, !mayHaveSeveral(name) {
                return .bad("\(quoted): expected one value, not several")
            }
            switch name {
            case "url": urls.insert(contentsOf: texts, at: 0)
            case "urls", "mirrors": urls += texts
            default: options += texts.map { ListOption(name, $0) }
            }
        }
        guard !urls.isEmpty else { return .bad("the object has no \"url\": write {\"url\": \"...\"}") }
        return .object(urls: urls, options)
    }

    private static func mayHaveSeveral(_ name: String) -> Bool {
        if ["url", "urls", "mirrors", "headers"].contains(name) { return true }
        return CommandSetting.named(ListOption(name, "").written)?.isRepeated ?? false
    }

    /// What a member holds.
    private enum Value: Decodable {
        case one(String)
        case several([String])
        case nothing
        case other

        /// The value as texts of options; nil where it is none.
        var texts: [String]? {
            switch self {
            case .one(let text): [text]
            case .several(let texts): texts
            case .nothing: []
            case .other: nil
            }
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .nothing
            } else if let text = try? container.decode(String.self) {
                self = .one(text)
            } else if let truth = try? container.decode(Bool.self) {
                self = .one(truth ? "true" : "false")
            } else if let number = try? container.decode(Int64.self) {
                self = .one("\(number)")
            } else if let number = try? container.decode(Double.self) {
                self = .one("\(number)")
            } else if let texts = try? container.decode([String].self) {
                self = .several(texts)
            } else if let members = try? container.decode([String: String].self) {
                self = .several(members.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" })
            } else {
                self = .other
            }
        }
    }
}
