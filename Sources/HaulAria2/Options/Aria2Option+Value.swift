import HaulCore
import HaulLibC

extension Aria2Option {
    /// Parses a value, and returns it in the form in which it is stored and reported: sizes in bytes, flags as `true`
    /// or `false`.
    ///
    /// - Returns: Nil if it is not a valid value of this option.
    package func value(_ text: String) -> String? {
        switch kind {
        case .flag: return text.isEmpty ? "true" : text == "true" || text == "false" ? text : nil
        case .number(let range): return Int64(text).flatMap { range.contains($0) ? String($0) : nil }
        case .size(let range): return Self.bytes(text).flatMap { range.contains($0) ? String($0) : nil }
        case .fraction: return Double(text).flatMap { $0.isFinite && $0 >= 0 ? text : nil }
        case .choice(let choices): return choices.contains(text) ? text : nil
        case .text, .list, .path: return Self.isOneLine(text) ? text : nil
        case .checksum: return (try? Checksum(parsing: text)) == nil ? nil : text
        case .gid: return GID(text).map(\.description)
        case .proxy: return text.isEmpty || (try? ProxySettings(url: text)) != nil ? text : nil
        case .indices: return text.isEmpty || Self.indices(text) != nil ? text : nil
        }
    }

    /// True if an empty value is valid and counts as not given, as in aria2.
    package var mayBeEmpty: Bool { kind == .path || kind == .indices }

    /// Returns a value with the home folder in place of `${HOME}`, as in aria2, if it is a path.
    package func expandingHome(_ text: String) -> String {
        expandingHome(text, home: ProcessEnvironment.value("HOME"))
    }

    /// Returns a value with a home folder in place of `${HOME}` if it is a path; without a home folder, unchanged.
    package func expandingHome(_ text: String, home: String?) -> String {
        guard kind == .path, let home else { return text }
        return text.replacing("${HOME}", with: home)
    }

    /// Returns what is wrong with an invalid value, and the possible values; nil if that can't be said in a line.
    func problem(_ text: String) -> String? {
        switch kind {
        case .flag: return "\(name) must be either 'true' or 'false'."
        case .choice(let choices):
            return "\(name) must be one of the following: \(choices.map { "'\($0)'" }.joined(separator: " "))."
        case .number(let range): return problem(text, Int64(text), range)
        case .size(let range): return problem(text, Self.bytes(text), range)
        case .fraction: return "Bad number \(URLRedaction.quoted(text, width: 40)). Possible values: 0.0-*"
        case .gid: return "It must be 16 hexadecimal digits, and not all of them 0."
        case .checksum: return "It must be TYPE=DIGEST, such as sha-256=DIGEST."
        case .text, .list, .path, .proxy, .indices: return nil
        }
    }

    private func problem(_ text: String, _ number: Int64?, _ range: ClosedRange<Int64>) -> String {
        let isOpen = range.upperBound == .max
        let possible = "Possible values: \(range.lowerBound)-\(isOpen ? "*" : "\(range.upperBound)")"
        guard number != nil else { return "Bad number \(URLRedaction.quoted(text, width: 40)). \(possible)" }
        return isOpen
            ? "\(name) must be greater than or equal to \(range.lowerBound). \(possible)"
            : "\(name) must be between \(range.lowerBound) and \(range.upperBound). \(possible)"
    }

    /// Parses numbers from 1 and ranges of them, such as `1-3,5`.
    package static func indices(_ text: String) -> [ClosedRange<Int>]? {
        var ranges: [ClosedRange<Int>] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1], first >= 1,
                first <= last, last <= 1 << 20
            else { return nil }
            ranges.append(first...last)
        }
        return ranges
    }

    /// Parses a size in aria2's form: an integer that may end in `K` or `M`, of either case.
    static func bytes(_ text: String) -> Int64? {
        let power: Int64 =
            switch text.utf8.last.map({ $0 | 0x20 }) {
            case UInt8(ascii: "k"): 1 << 10
            case UInt8(ascii: "m"): 1 << 20
            default: 1
            }
        guard let number = Int64(power == 1 ? text : String(text.dropLast())), number >= 0 else { return nil }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: power)
        return overflow ? nil : bytes
    }

    /// Returns true if a text contains no line break and no NUL.
    ///
    /// RFC 9110, section 5.5, excludes them from a header's value, and no other option needs them.
    private static func isOneLine(_ text: String) -> Bool {
        !text.utf8.contains { $0 == 0 || $0 == 10 || $0 == 13 }
    }
}
