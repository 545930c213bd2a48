import Foundation
public import HaulCore

extension Metalink {
    /// Reads a document from a file, which may be a link or a pipe.
    ///
    /// Blocks while it reads.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if it can't be read or is invalid.
    public init(contentsOf path: String) throws(DownloadError) {
        // A dash is the name of a file here. One byte more than the limit is left to the check of the size.
        let bytes = try SmallFile(path == "-" ? "./-" : path, "the Metalink file", limit: Self.maxBytes + 1).bytes
        try self.init(parsing: bytes)
    }
}

extension DownloadEngine {
    /// Fetches and parses a Metalink document.
    ///
    /// - Parameters:
    ///   - url: The URL of the document.
    ///   - template: The options for the request: headers, timeouts, retries.
    /// - Throws: `DownloadError`, like any download, and `invalidRequest` if the document is invalid.
    public func metalink(from url: String, like template: DownloadSpec? = nil) async throws(DownloadError) -> Metalink {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("haul-\(UUID().uuidString)")
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        } catch {
            throw DownloadError(.fileFailed, "can't create a temporary folder", cause: error.localizedDescription)
        }
        // A file that can't be removed is small, and in the folder for temporary files.
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("metalink").path
        var spec = DownloadSpec(url: url, destination: .file(path: path))
        if let template { spec = template.forDocument(at: url, in: path) }
        spec.connections = .fixed(1)
        spec.resumes = false
        // One byte more than the limit, to detect a larger document without fetching more of it.
        spec.range = ByteRange(0, Int64(Metalink.maxBytes) + 1)
        if !spec.headers.contains(where: { $0.name.lowercased() == "accept" }) {
            let types = "application/metalink4+xml, application/metalink+xml, application/xml;q=0.5, */*;q=0.1"
            spec.headers.append(DownloadSpec.Header(name: "Accept", value: types))
        }
        _ = try await run(spec) { _ in }.get()
        return try Metalink(contentsOf: path)
    }
}
