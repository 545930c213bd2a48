package import HaulCore
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
        sending spec: DownloadSpec, folder: String = FileManager.default.currentDirectoryPath
    ) throws(DownloadError) {
        if let field = DownloadSpec.Local.pathFields(of: spec.local).first {
            throw DownloadError(
                .invalidRequest, "\(field) can't be used in the background: leave it out, or use haul get")
        }
        var spec = spec
        switch spec.destination {
        case .file(let path): spec.destination = .file(path: Self.absolute(path, folder))
        case .folder(let path): spec.destination = .folder(path: Self.absolute(path, folder))
        case .hashed(let path): spec.destination = .hashed(folder: Self.absolute(path, folder))
        }
        self.init(reporting: spec)
        password = try spec.password.map { secret throws(DownloadError) in try Self.text(of: secret) }
        bearerToken = try spec.bearerToken.map { secret throws(DownloadError) in try Self.text(of: secret) }
    }

    private static func absolute(_ path: String, _ folder: String) -> String {
        if path.hasPrefix("/") { return path }
        let below = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
        if below.isEmpty || below == "." { return folder }
        return folder.hasSuffix("/") ? folder + below : "\(folder)/\(below)"
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
    mutating func add(_ spec: DownloadSpec, _ ownership: Ownership) {
        do throws(DownloadError) {
            let request = try DownloadRequest(sending: ownership.marked(spec))
            bytes += try WireJSON.encode(request).count + 1
            requests.append(request)
            outcomes.append(.success(()))
        } catch {
            outcomes.append(.failure(error))
        }
    }
}
