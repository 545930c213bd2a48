import Foundation
public import HaulCore
import HaulFiles

extension Metalink {
    /// Reads a document from a file.
    ///
    /// Blocks while it reads.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if it can't be read or is invalid.
    public init(contentsOf path: String) throws(DownloadError) {
        let bytes: [UInt8]
        do throws(FileError) {
            let system = SystemCalls.live
            let file = try system.open(path, .read)
            // One byte more than the limit, to detect a larger file.
            var buffer = [UInt8](
                repeating: 0, count: Int(min(max(0, try system.status(file).size), Int64(Self.maxBytes + 1))))
            var span = buffer.mutableSpan
            // Safe: the buffer belongs to the array for the length of the call.
            let count = try unsafe span.withUnsafeMutableBytes { window throws(FileError) in
                unsafe try system.read(file, into: window, at: 0)
            }
            buffer.removeLast(buffer.count - count)
            bytes = buffer
        } catch {
            throw DownloadError(
                .invalidRequest, "can't read the Metalink file", cause: error.downloadError.cause)
        }
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
