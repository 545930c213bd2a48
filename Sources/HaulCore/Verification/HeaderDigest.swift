import HTTPTypes
import RawStructuredFieldValues

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A digest of the whole file from a response header.
package struct HeaderDigest: Hashable, Sendable {
    /// The digest.
    package var checksum: Checksum
    /// The name of the header.
    package var field: String

    /// Makes a value.
    package init(_ checksum: Checksum, field: String) {
        self.checksum = checksum
        self.field = field
    }

    /// Reads the strongest digest of the whole file from the headers of a response; nil if there is none that Haul can
    /// compute.
    ///
    /// - `Repr-Digest` (RFC 9530, section 3) and `Digest` (RFC 3230, section 4.3.2) describe the whole representation,
    ///   in a 206 too.
    /// - `Content-MD5` (RFC 2616, section 14.15) describes the body that is sent, so it counts only if that is the
    ///   whole file.
    /// - `Content-Digest` describes the content of the message, which may be transformed on the way: it is not read.
    ///
    /// All of them cover the encoded bytes if there is a content coding: then none counts.
    ///
    /// - Parameter isWhole: True if the body of the response is the whole file.
    package init?(_ fields: ResponseHeaders, isWhole: Bool) {
        if let coding = fields[.contentEncoding]?.lowercased(), !coding.isEmpty, coding != "identity" { return nil }
        var best: HeaderDigest?
        func offer(_ checksums: [Checksum], _ field: String) {
            for checksum in checksums where checksum.algorithm.strength > best?.checksum.algorithm.strength ?? -1 {
                best = HeaderDigest(checksum, field: field)
            }
        }
        func value(_ name: HTTPField.Name?) -> String? {
            name.flatMap { fields[$0] }.flatMap { $0.utf8.count <= Self.maxValue ? $0 : nil }
        }
        if let text = value(Self.reprDigestName) { offer(Self.reprDigest(text), "Repr-Digest") }
        if let text = value(Self.digestName) { offer(Self.digest(text), "Digest") }
        if isWhole, let text = value(Self.contentMD5Name) {
            offer([Self.checksum(.md5, base64: text)].compactMap(\.self), "Content-MD5")
        }
        guard let best else { return nil }
        self = best
    }

    private static let reprDigestName = HTTPField.Name("Repr-Digest")
    private static let digestName = HTTPField.Name("Digest")
    private static let contentMD5Name = HTTPField.Name("Content-MD5")

    /// The maximum length of a value; a longer one is not a digest and would be slow to read.
    static let maxValue = 4096

    /// Parses a dictionary of byte sequences (RFC 9651, 3.2 and 3.3.5); a malformed one is ignored as a whole (4.2).
    static func reprDigest(_ text: String) -> [Checksum] {
        var parser = StructuredFieldValueParser(Array(text.utf8))
        guard let members = try? parser.parseDictionaryFieldValue() else { return [] }
        return members.compactMap { name, value in
            guard let algorithm = Self.algorithm(name), case .item(let item) = value,
                case .undecodedByteSequence(let base64) = item.rfc9651BareItem
            else { return nil }
            return checksum(algorithm, base64: base64)
        }
    }

    /// Parses a list of `algorithm=base64`; unknown algorithms are left out.
    ///
    /// RFC 5843 prefixes `id-` if the digest is that of the file without any content coding.
    static func digest(_ text: String) -> [Checksum] {
        text.utf8.split(separator: UInt8(ascii: ",")).compactMap { part in
            let part = Array(part)[...].trimmingOptionalSpace
            guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            let name = part[..<equals].asciiLowercasedText
            guard let algorithm = algorithm(name.hasPrefix("id-") ? String(name.dropFirst(3)) : name) else {
                return nil
            }
            return checksum(algorithm, base64: String(decoding: part[(equals + 1)...], as: UTF8.self))
        }
    }

    /// Returns the algorithm for a name in the registries of RFC 9530 and RFC 3230.
    private static func algorithm(_ name: String) -> Checksum.Algorithm? {
        switch name {
        case "md5": .md5
        case "sha": .sha1
        case "sha-256": .sha256
        case "sha-512": .sha512
        default: nil
        }
    }

    private static func checksum(_ algorithm: Checksum.Algorithm, base64: String) -> Checksum? {
        let text = String(decoding: Array(base64.utf8)[...].trimmingOptionalSpace, as: UTF8.self)
        return Data(base64Encoded: text).flatMap { Checksum(algorithm, bytes: $0) }
    }
}
