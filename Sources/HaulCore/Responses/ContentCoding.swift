package import HTTPTypes

extension HTTPField.Name {
    /// The place of the ETag of a response that is decoded, inside the program.
    ///
    /// It does not describe the decoded bytes, but an error rarely has one. A server gains nothing by sending this field.
    package static let encodedTag = HTTPField.Name("Haul-Encoded-ETag") ?? .eTag
}

/// The meaning of `Content-Encoding` for a file to be saved (RFC 9110, section 8.4).
package enum ContentCoding: Hashable, Sendable {
    /// The bytes are the file.
    case none
    /// The bytes are the file compressed with gzip, to be decompressed.
    case gzip
    /// The bytes are the file in the zlib or deflate format, to be decompressed.
    case deflate
    /// The bytes are the file in a coding that is not decoded.
    case other(String)

    /// Reads the coding from the fields of a response.
    ///
    /// Values that are not codings count as absent: servers send charsets and names of their own storage. If the name
    /// or the media type says that the file itself is compressed, `gzip` describes the file and is not a coding.
    ///
    /// - Parameter url: The URL that responded; its path may name the file.
    package init(_ fields: HTTPFields, url: SourceURL? = nil) {
        let codings = fields[values: .contentEncoding]
            .flatMap { Array($0.utf8).split(separator: UInt8(ascii: ",")) }
            .map { $0.trimmingOptionalSpace.asciiLowercasedText }
            .filter { !Self.isNotCoding($0) }
        guard let coding = codings.first else {
            self = .none
            return
        }
        let isKept = codings.count == 1 && Self.isOfCompressedFile(fields, url)
        switch coding {
        case "gzip" where isKept, "x-gzip" where isKept, "deflate" where isKept: self = .none
        case _ where codings.count > 1: self = .other(codings.joined(separator: ", "))
        case "gzip", "x-gzip": self = .gzip
        case "deflate": self = .deflate
        case _: self = .other(coding)
        }
    }

    private static func isNotCoding(_ value: String) -> Bool {
        ["", "identity", "none", "binary", "7bit", "8bit", "aws-chunked", "ascii", "us-ascii", "latin1"].contains(value)
            || ["utf", "iso-8859-", "windows-125"].contains { value.hasPrefix($0) }
    }

    private static func isOfCompressedFile(_ fields: HTTPFields, _ url: SourceURL?) -> Bool {
        let type = (fields[.contentType] ?? "").utf8.prefix { $0 != UInt8(ascii: ";") }
        if types.contains(Array(type)[...].trimmingOptionalSpace.asciiLowercasedText) { return true }
        let named = fields[values: .contentDisposition].first.flatMap(ContentDisposition.fileName)
        guard let name = (named ?? url?.lastPathComponent)?.lowercased() else { return false }
        return [".gz", ".tgz", ".svgz", ".gzip", ".taz", ".emz", ".wmz", ".cpgz"].contains { name.hasSuffix($0) }
    }

    private static let types: Set = [
        "application/gzip", "application/x-gzip", "application/gzip-compressed", "application/x-gzip-compressed",
        "application/x-compressed", "application/x-compress", "application/x-gunzip", "application/gzipped",
        "application/x-tgz", "application/x-gtar", "application/x-gtar-compressed", "application/x-tar-gz",
        "application/tar+gzip", "multipart/x-gzip", "gzip/document",
    ]
}
