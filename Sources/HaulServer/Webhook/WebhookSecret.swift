import Crypto
import Haul
package import HaulCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What sender and receiver of a webhook both know; it signs as the Standard Webhooks specification (1.0.0) says.
///
/// However it is printed, it is not shown.
package struct WebhookSecret: Sendable {
    private let key: SymmetricKey

    /// Reads a secret: `whsec_` and base64 as that specification has it, else the text itself.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` where it is shorter than 16 bytes, or no base64 behind `whsec_`.
    package init(_ text: String) throws(DownloadError) {
        var bytes: Data? = Data(text.utf8)
        if text.hasPrefix(Self.prefix) { bytes = Data(base64Encoded: String(text.dropFirst(Self.prefix.count))) }
        guard let bytes, bytes.count >= 16 else {
            throw DownloadError(
                .invalidRequest,
                "the webhook secret must be \(Self.prefix) followed by base64, or a text, of at least 16 bytes")
        }
        key = SymmetricKey(data: bytes)
    }

    /// Reads the first line of a file.
    ///
    /// - Throws: as `init(_:)`, and where the file can't be read.
    package init(path: String) throws(DownloadError) {
        try self.init(try SmallFile.line(path, "the webhook secret file"))
    }

    /// The header `webhook-signature`: the HMAC-SHA256 (RFC 2104) of `ID.TIMESTAMP.BODY` in base64, behind the version `v1`.
    package func signature(id: String, timestamp: Int64, body: [UInt8]) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: Array("\(id).\(timestamp).".utf8) + body, using: key)
        return "v1," + Data(code).base64EncodedString()
    }

    private static let prefix = "whsec_"
}

extension WebhookSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Not the secret.
    package var description: String { "(secret)" }
    /// Not the secret.
    package var debugDescription: String { description }
    /// Not the secret.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
