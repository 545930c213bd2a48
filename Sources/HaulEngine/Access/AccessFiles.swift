import HaulCore
import HaulLibC
import Synchronization

/// Reads the files named in specs: passwords, tokens, `.netrc` and cookies.
///
/// Shared by all downloads of an engine, so that a list of a million downloads reads its cookie file once. A file that
/// has changed is read again; a pipe can't be.
final class AccessFiles: Sendable {
    private struct Kept<Value: Sendable>: Sendable {
        var version: FileVersion?
        var value: Value
    }

    private let netrcs = Mutex<[String: Kept<Netrc>]>([:])
    private let cookies = Mutex<[String: Kept<CookieFile>]>([:])
    private let queue = BlockingQueue(label: "haul.access")

    /// Returns the credentials and cookies for a spec.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if a file can't be read, or its contents can't be sent.
    func read(_ spec: DownloadSpec) async throws(DownloadError) -> SourceAccess {
        let isNeeded =
            spec.user != nil || spec.bearerToken != nil || spec.netrcPath != nil || spec.cookiePath != nil
            || spec.authentication != .any
        guard isNeeded else { return SourceAccess() }
        return try await queue.call { () throws(DownloadError) in try self.access(spec) }
    }

    private func access(_ spec: DownloadSpec) throws(DownloadError) -> SourceAccess {
        var access = SourceAccess()
        access.scheme = spec.authentication
        if let user = spec.user {
            access.login = URLCredentials(user: user, password: try text(spec.password, "the password file"))
            guard access.login?.isSendable == true else {
                throw DownloadError(
                    .invalidRequest,
                    "invalid user name or password: the name must not be empty or contain a colon, and neither may contain control characters"
                )
            }
        }
        if let token = spec.bearerToken { access.token = try Self.token(text(token, "the token file")) }
        if let path = spec.netrcPath {
            access.netrc = try kept(netrcs, path, "the netrc file") { Netrc(parsing: $0) }
        }
        if let path = spec.cookiePath {
            let file = try kept(cookies, path, "the cookie file") { CookieFile(parsing: $0) }
            guard file.badLines == 0 || !file.cookies.isEmpty else {
                throw DownloadError(
                    .invalidRequest,
                    "the cookie file, \(path), contains no cookies: expected the Netscape format, one cookie per line")
            }
            access.cookies = file.cookies
        }
        return access
    }

    private func text(_ secret: Secret?, _ what: String) throws(DownloadError) -> String {
        switch secret {
        case nil: ""
        case .text(let text): text
        case .file(let path): try SmallFile.line(path, what)
        }
    }

    /// RFC 6750, section 2.1, is stricter; but servers use various formats for tokens.
    private static func token(_ text: String) throws(DownloadError) -> String {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw DownloadError(.invalidRequest, "the token must consist of visible ASCII characters, without spaces")
        }
        return text
    }

    private func kept<Value: Sendable>(
        _ shelf: borrowing Mutex<[String: Kept<Value>]>, _ path: String, _ what: String, _ parse: ([UInt8]) -> Value
    ) throws(DownloadError) -> Value {
        let version = FileVersion(path: path)
        if let kept = shelf.withLock({ $0[path] }), kept.version == version { return kept.value }
        let value = parse(try SmallFile(path, what).bytes)
        shelf.withLock { $0[path] = Kept(version: version, value: value) }
        return value
    }
}
