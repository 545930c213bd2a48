package import HaulCore
import HaulLibC
package import HaulWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension DownloadRequest {
    /// Creates a request to the user's own daemon: with secrets and absolute paths.
    ///
    /// A password in a file is read now, because the daemon reads no files for its clients.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` for options that a daemon does not support, `fileFailed` if
    ///   a password's file cannot be read.
    package init(
        sending spec: DownloadSpec, folder: String? = WorkingFolder.path
    ) throws(DownloadError) {
        if let field = DownloadSpec.Local.pathFields(of: spec.local).first {
            throw DownloadError(
                .invalidRequest, "\(field) can't be used in the background: leave it out")
        }
        let spec = try spec.absolute(in: folder)
        self.init(reporting: spec)
        // Reported without its bytes, but sent with them.
        self.body = spec.body
        password = try spec.password.map { secret throws(DownloadError) in try Self.text(of: secret) }
        bearerToken = try spec.bearerToken.map { secret throws(DownloadError) in try Self.text(of: secret) }
    }

    private static func text(of secret: Secret) throws(DownloadError) -> String {
        switch secret {
        case .text(let text): return text
        case .file(let path):
            guard let text = try? String(contentsOf: URL(filePath: path), encoding: .utf8) else {
                throw DownloadError(.fileFailed, "can't read the password file \(path)")
            }
            return text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        }
    }
}

/// Specs to be sent to a daemon; those that cannot be sent have their errors already.
struct AddedRequests: Sendable {
    /// The requests that can be sent.
    private(set) var requests: [DownloadRequest] = []
    /// The outcome for each spec: success if it can be sent, or an error.
    private(set) var outcomes: [Result<Void, DownloadError>] = []
    /// The approximate size of the requests in bytes.
    private(set) var bytes = 0

    /// The number of specs.
    var count: Int { outcomes.count }

    /// Adds a spec.
    ///
    /// - Parameter folder: The folder that relative paths are resolved against.
    mutating func add(_ spec: DownloadSpec, _ ownership: Ownership, in folder: String?) {
        do throws(DownloadError) {
            let request = try DownloadRequest(sending: ownership.marked(try spec.absolute(in: folder)), folder: folder)
            bytes += try WireJSON.encode(request).count + 1
            requests.append(request)
            outcomes.append(.success(()))
        } catch {
            outcomes.append(.failure(error))
        }
    }
}
