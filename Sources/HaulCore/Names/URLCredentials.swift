/// The decoded user name and password of a URL.
///
/// Printing a value never shows the password.
package struct URLCredentials: Hashable, Sendable {
    /// The user name; never contains a colon.
    package let user: String
    /// The password; empty if the URL has none.
    package let password: String

    /// Makes credentials from another source than a URL.
    package init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    /// Decodes `user:password`; returns nil if both are empty.
    ///
    /// Passwords are often pasted without encoding, so a `%` that does not begin a valid escape is kept literally.
    static func decoding(_ userInfo: ArraySlice<UInt8>) throws(URLProblem) -> URLCredentials? {
        let colon = userInfo.firstIndex(of: UInt8(ascii: ":")) ?? userInfo.endIndex
        let user = try text(userInfo[..<colon])
        let password = try text(userInfo[colon...].dropFirst())
        guard !user.utf8.contains(UInt8(ascii: ":")) else { throw .badCredentials }
        return user.isEmpty && password.isEmpty ? nil : URLCredentials(user: user, password: password)
    }

    private static func text(_ bytes: ArraySlice<UInt8>) throws(URLProblem) -> String {
        let encoded = PercentCoding.encode(bytes) { _ in true }
        guard let decoded = PercentCoding.decode(encoded.utf8), let text = String(validating: decoded, as: UTF8.self),
            !decoded.contains(where: \.isASCIIControl)
        else { throw .badCredentials }
        return text
    }
}

extension URLCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "\(user):REDACTED" }
    package var debugDescription: String { description }
    /// Hides the password from `dump`, too.
    package var customMirror: Mirror { Mirror(self, children: ["user": user]) }
}

extension URLCredentials {
    /// The value of an `Authorization` header for Basic authentication (RFC 7617), in UTF-8.
    ///
    /// As secret as the password.
    package var basicAuthorization: String { "Basic " + Self.base64(Array("\(user):\(password)".utf8)) }

    // RFC 4648, section 4.
    private static func base64(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = (0..<3).reduce(0) { $0 << 8 | (start + $1 < group.endIndex ? Int(bytes[start + $1]) : 0) }
            for place in 0..<4 {
                text.append(place <= group.count ? alphabet[bits >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
}
