import CHaulDigest
import Haul
package import HaulCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The shared secret of a webhook's sender and receiver; signs as in the Standard Webhooks specification (1.0.0).
///
/// Printing a value never shows the secret.
package struct WebhookSecret: Sendable {
    private let key: [UInt8]

    /// Parses a secret: `whsec_` and base64, as in that specification, or else the text itself.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if it is shorter than 16 bytes, or if invalid base64
    ///   follows `whsec_`.
    package init(_ text: String) throws(DownloadError) {
        var bytes: Data? = Data(text.utf8)
        if text.hasPrefix(Self.prefix) { bytes = Data(base64Encoded: String(text.dropFirst(Self.prefix.count))) }
        guard let bytes, bytes.count >= 16 else {
            throw DownloadError(
                .invalidRequest,
                "the webhook secret must be \(Self.prefix) followed by base64, or a text, of at least 16 bytes")
        }
        key = Array(bytes)
    }

    /// Reads the first line of a file.
    ///
    /// - Throws: The errors of `init(_:)`, and an error if the file can't be read.
    package init(path: String) throws(DownloadError) {
        try self.init(try SmallFile.line(path, "the webhook secret file"))
    }

    /// Returns the header `webhook-signature`: the version `v1`, and the HMAC-SHA256 (RFC 2104) of `ID.TIMESTAMP.BODY`
    /// in base64.
    package func signature(id: String, timestamp: Int64, body: [UInt8]) -> String {
        let message = Array("\(id).\(timestamp).".utf8) + body
        var code = [UInt8](repeating: 0, count: 32)
        // Safe: the function reads both arrays during the call, and writes exactly 32 bytes.
        unsafe haul_hmac_sha256(key, key.count, message, message.count, &code)
        return "v1," + Data(code).base64EncodedString()
    }

    private static let prefix = "whsec_"
}

extension WebhookSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A placeholder, not the secret.
    package var description: String { "(secret)" }
    /// A placeholder, not the secret.
    package var debugDescription: String { description }
    /// An empty mirror, not the secret.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
