import HaulTransport

/// How a server wants to be told who asks, and which of its ways is used (RFC 9110, section 11.6.1).
enum ChallengeRules {
    private typealias Scheme = Authentication.Scheme

    /// The ways of which the strongest is taken first; a ticket of Kerberos' may be somebody else's than the user who was named.
    private static let preferred: [Scheme] = [.digest, .ntlm, .negotiate, .basic]

    /// Returns the way for the next attempt, or nil if there is none.
    ///
    /// A password is sent as it is over TLS, or if the server offers nothing else that Haul knows.
    ///
    /// - Parameters:
    ///   - status: The status of the response.
    ///   - challenges: The values of its `WWW-Authenticate` headers.
    ///   - tried: The ways that were used so far.
    static func next(
        status: Int, challenges: [String], isSecure: Bool, tried: [Authentication.Scheme]
    ) -> Authentication.Scheme? {
        guard [401, 403, 404].contains(status) else { return nil }
        let offered = schemes(in: challenges)
        // Some servers hide what a stranger must not see, and say nothing of a login.
        guard !offered.isEmpty else { return tried.isEmpty ? .basic : nil }
        let usable = preferred.filter { offered.contains($0.rawValue) }
        return usable.first { !tried.contains($0) && ($0 != .basic || isSecure || usable == [.basic]) }
    }

    /// The names of the ways that are offered, in small letters.
    ///
    /// A header may hold several challenges and a challenge several parameters, all separated by commas: what is followed by `=` is a parameter.
    static func schemes(in challenges: [String]) -> [String] {
        var names: [String] = []
        for part in challenges.flatMap(parts) {
            let name = part.prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") && $0 != UInt8(ascii: "=") }
            let rest = part.dropFirst(name.count).drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            guard !name.isEmpty, rest.first != UInt8(ascii: "=") else { continue }
            names.append(String(decoding: name, as: UTF8.self).lowercased())
        }
        return names
    }

    /// What stands between commas that are not quoted, without white space before it.
    private static func parts(_ value: String) -> [ArraySlice<UInt8>] {
        let bytes = Array(value.utf8)
        var (parts, start, isQuoted, isEscaped) = ([ArraySlice<UInt8>](), 0, false, false)
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isQuoted: isEscaped = true
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: ",") where !isQuoted:
                parts.append(bytes[start..<index])
                start = index + 1
            default: break
            }
        }
        parts.append(bytes[start...])
        return parts.map { $0.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") } }
    }
}
