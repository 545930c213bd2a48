/// Verifies the tokens of the calls in one request.
package struct Aria2Desk: Sendable {
    private let secret: String?
    /// True if a call was refused.
    package private(set) var hasRefused = false
    /// True if a call contained the secret, or none is required.
    package private(set) var isAuthorized: Bool

    /// Creates a verifier for a secret, or for none.
    package init(secret: String?) {
        self.secret = secret
        isAuthorized = secret == nil
    }

    /// The prefix of a token.
    static let prefix = "token:"

    /// Returns the parameters without the token, which is removed even if none is required.
    ///
    /// - Parameter isOpen: True if the method needs no token.
    /// - Throws: `Aria2Failure.unauthorized`.
    package mutating func admit(_ values: [JSON], isOpen: Bool) throws(Aria2Failure) -> [JSON] {
        let token = values.first?.text.flatMap { $0.hasPrefix(Self.prefix) ? $0.dropFirst(Self.prefix.count) : nil }
        let rest = token == nil ? values : Array(values.dropFirst())
        guard let secret, !isOpen else { return rest }
        guard let token, Self.isSame(Array(token.utf8), Array(secret.utf8)) else {
            hasRefused = true
            throw .unauthorized
        }
        isAuthorized = true
        return rest
    }

    /// Compares in constant time: a text that is wrong at its first byte takes as long as one that is wrong at its
    /// last.
    private static func isSame(_ given: [UInt8], _ secret: [UInt8]) -> Bool {
        var difference: UInt8 = given.count == secret.count ? 0 : 1
        for (index, byte) in given.enumerated() {
            difference |= byte ^ (secret.isEmpty ? 1 : secret[index % secret.count])
        }
        return difference == 0
    }
}
