import HaulCore

/// A `robots.txt`: the paths of a host that a client may fetch (RFC 9309).
package struct RobotsText: Hashable, Sendable {
    /// The maximum number of bytes that are read (RFC 9309, section 2.5).
    package static let limit = 500 << 10

    private struct Rule: Hashable, Sendable {
        var allows: Bool
        var pattern: [UInt8]
    }

    private var rules: [Rule] = []
    private let allowsAll: Bool

    /// Everything is allowed: there is no such file.
    package static let allowed = RobotsText(allowsAll: true)
    /// Nothing is allowed: the file can't be read for now (RFC 9309, section 2.3.1.4).
    package static let unreachable = RobotsText(allowsAll: false)

    private init(allowsAll: Bool) { self.allowsAll = allowsAll }

    /// Reads the rules for a client.
    ///
    /// - Parameter agent: The name of the client in lower case.
    package init(_ text: some Collection<UInt8>, agent: String) {
        allowsAll = true
        var (ours, others): ([Rule], [Rule]) = ([], [])
        var (hasOurs, isOurs, isOthers, isInRules) = (false, false, false, true)
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let bytes = text.prefix(Self.limit).dropFirst(text.starts(with: mark) ? mark.count : 0)
        for line in bytes.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            let content = String(decoding: line.prefix { $0 != UInt8(ascii: "#") }, as: UTF8.self)
            guard let colon = content.firstIndex(of: ":") else { continue }
            let value = String(content[content.index(after: colon)...].trimmed)
            switch content[..<colon].trimmed.lowercased() {
            case "user-agent":
                if isInRules { (isOurs, isOthers, isInRules) = (false, false, false) }
                let name = value.lowercased()
                isOurs = isOurs || name == agent
                isOthers = isOthers || name == "*"
                hasOurs = hasOurs || isOurs
            case "allow", "disallow":
                isInRules = true
                let allows = content[..<colon].trimmed.lowercased() == "allow"
                guard !value.isEmpty else { continue }
                let rule = Rule(allows: allows, pattern: Self.pattern(value))
                if isOurs { ours.append(rule) }
                if isOthers { others.append(rule) }
            default: continue
            }
        }
        rules = hasOurs ? ours : others
    }

    /// Returns true if a path with its query may be fetched: the longest rule that matches decides, and of two the one
    /// that allows.
    package func allows(_ path: String) -> Bool {
        guard allowsAll else { return path == "/robots.txt" }
        let path = Self.normal(path.utf8, encoding: "*$")
        var best: Rule?
        for rule in rules where Self.matches(rule.pattern[...], path[...]) {
            guard let known = best else {
                best = rule
                continue
            }
            let (new, old) = (rule.pattern.count, known.pattern.count)
            if new > old || new == old && rule.allows { best = rule }
        }
        return best?.allows ?? true
    }

    /// Returns a pattern in which only `*`, and `$` at its end, are special.
    private static func pattern(_ text: String) -> [UInt8] {
        guard text.utf8.last == UInt8(ascii: "$") else { return normal(text.utf8, encoding: "$") }
        return normal(text.utf8.dropLast(), encoding: "$") + "$".utf8
    }

    /// Returns a path as both sides of a comparison have it: bytes that are not ASCII, and these special ones, are encoded
    /// (RFC 9309, sections 2.2.2 and 2.2.3).
    private static func normal(_ path: some Collection<UInt8>, encoding special: String) -> [UInt8] {
        let encoded = PercentCoding.encode(path) { !special.utf8.contains($0) }
        return Array(PercentCoding.normalized(encoded).utf8)
    }

    /// Compares with `*` for any text and `$` for the end.
    ///
    /// Takes time proportional to the product of both lengths, whatever the pattern.
    private static func matches(_ pattern: ArraySlice<UInt8>, _ path: ArraySlice<UInt8>) -> Bool {
        var (pattern, isAnchored) = (pattern, false)
        if pattern.last == UInt8(ascii: "$") {
            pattern = pattern.dropLast()
            isAnchored = true
        }
        var (at, place) = (pattern.startIndex, path.startIndex)
        var star: (at: Int, place: Int)?
        while true {
            if at == pattern.endIndex, !isAnchored || place == path.endIndex { return true }
            if at < pattern.endIndex, pattern[at] == UInt8(ascii: "*") {
                star = (at + 1, place)
                at += 1
            } else if at < pattern.endIndex, place < path.endIndex, pattern[at] == path[place] {
                at += 1
                place += 1
            } else if let last = star, last.place < path.endIndex {
                star = (last.at, last.place + 1)
                (at, place) = (last.at, last.place + 1)
            } else {
                return false
            }
        }
    }
}
