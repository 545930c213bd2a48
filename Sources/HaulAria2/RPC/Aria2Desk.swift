/// Looks at the tokens of the calls of one request.
package struct Aria2Desk: Sendable {
    private let secret: String?
    /// Whether a call was refused.
    package private(set) var hasRefused = false
    /// Whether a call showed the secret, or none is needed.
    package private(set) var isAuthorized: Bool

    /// Makes a desk that asks for a secret, or for none.
    package init(secret: String?) {
        self.secret = secret
        isAuthorized = secret == nil
    }

    /// What a token begins with.
    static let prefix = "token:"

    /// The parameters without the token, which is taken away also where none is asked for.
    ///
    /// - Parameter isOpen: Whether the method may be called without it.
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

    /// Takes as long for a text that is wrong at its first byte as for one that is wrong at its last.
    private static func isSame(_ given: [UInt8], _ secret: [UInt8]) -> Bool {
        var difference: UInt8 = given.count == secret.count ? 0 : 1
        for (index, byte) in given.enumerated() {
            difference |= byte ^ (secret.isEmpty ? 1 : secret[index % secret.count])
        }
        return difference == 0
    }
}
