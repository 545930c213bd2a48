import HaulCore
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
        let offered = Challenges.schemes(in: challenges)
        // Some servers hide what a stranger must not see, and say nothing of a login.
        guard !offered.isEmpty else { return tried.isEmpty ? .basic : nil }
        let usable = preferred.filter { offered.contains($0.rawValue) }
        return usable.first { !tried.contains($0) && ($0 != .basic || isSecure || usable == [.basic]) }
    }
}
