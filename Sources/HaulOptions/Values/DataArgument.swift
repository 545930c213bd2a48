package import HaulCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The value of `--data`: a text, or `@FILE` for the content of a file, which is sent as it is.
package struct DataArgument: Hashable, Sendable {
    /// The type of a body whose type is not given, as with curl.
    package static let mediaType = "application/x-www-form-urlencoded"

    /// The bytes.
    package let bytes: [UInt8]

    /// Reads a value.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` that says why the file can't be read.
    package init(parsing text: String) throws(DownloadError) {
        guard text.utf8.first == UInt8(ascii: "@") else {
            bytes = Array(text.utf8)
            return
        }
        let path = String(text.dropFirst())
        guard !path.isEmpty, path != "-" else {
            throw DownloadError(
                .invalidRequest, "expected a text, or @ and the name of a file; standard input is not read")
        }
        guard let content = FileManager.default.contents(atPath: path) else {
            throw DownloadError(.invalidRequest, "can't read the file \"\(path)\"")
        }
        bytes = Array(content)
    }

    /// Appends the value to a body; several form one, with `&` between them, as with curl.
    package func append(to body: inout DownloadSpec.RequestBody?) {
        guard let first = body else {
            body = DownloadSpec.RequestBody(bytes, mediaType: Self.mediaType)
            return
        }
        body?.bytes = first.bytes + [UInt8(ascii: "&")] + bytes
    }
}
