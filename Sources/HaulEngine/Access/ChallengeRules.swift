import HaulCore
import HaulTransport

/// Decides which of the authentication schemes that a server offers is used (RFC 9110, section 11.6.1).
enum ChallengeRules {
    private typealias Scheme = Authentication.Scheme

    /// The schemes in order of preference; a Kerberos ticket may belong to another user than the one given.
    private static let preferred: [Scheme] = [.digest, .ntlm, .negotiate, .basic]

    /// Returns the scheme for the next attempt, or nil if there is none.
    ///
    /// A password is sent unencrypted (`Basic`) only over TLS, or if the server offers no other scheme that Haul
    /// supports.
    ///
    /// - Parameters:
    ///   - status: The status of the response.
    ///   - challenges: The values of its `WWW-Authenticate` headers.
    ///   - tried: The schemes used so far.
    static func next(
        status: Int, challenges: [String], isSecure: Bool, tried: [Authentication.Scheme]
    ) -> Authentication.Scheme? {
        guard [401, 403, 404].contains(status) else { return nil }
        let offered = Challenges.schemes(in: challenges)
        // Some servers return 404 Not Found or 403 Forbidden instead of a challenge, to hide private files.
        guard !offered.isEmpty else { return tried.isEmpty ? .basic : nil }
        let usable = preferred.filter { offered.contains($0.rawValue) }
        return usable.first { !tried.contains($0) && ($0 != .basic || isSecure || usable == [.basic]) }
    }
}
