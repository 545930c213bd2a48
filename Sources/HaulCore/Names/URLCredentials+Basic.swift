extension URLCredentials {
    /// The value of an `Authorization` header for Basic authentication (RFC 7617), in UTF-8.
    ///
    /// It is as secret as the password.
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
