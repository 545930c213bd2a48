package import HaulCore
import HaulDigest
import HaulLibC
package import Logging
import Synchronization

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The rights of a client; each scope includes those before it.
package enum TokenScope: String, Hashable, Sendable, Codable, CaseIterable, Comparable {
    /// Read the list, events and metrics.
    case read
    /// Also add downloads.
    case add
    /// Also control downloads, and change the settings.
    case manage

    /// Returns true if the first scope allows less.
    package static func < (first: Self, second: Self) -> Bool { first.level < second.level }

    private var level: Int {
        switch self {
        case .read: 0
        case .add: 1
        case .manage: 2
        }
    }
}

/// A token with a name and a scope; the token itself is not stored.
package struct NamedToken: Hashable, Sendable, Codable {
    /// The name, which the list records for downloads that were added with the token.
    package var name: String
    /// The scope.
    package var scope: TokenScope
    /// The time when it was made.
    package var made: Date
    /// The SHA-256 of the token, in hexadecimal digits.
    package var digest: String

    /// Makes the entry of a token.
    package init(name: String, scope: TokenScope, made: Date, token: AccessToken) {
        // Whole seconds, as in the file.
        let seconds = made.timeIntervalSince1970.rounded()
        (self.name, self.scope, self.made) = (name, scope, Date(timeIntervalSince1970: seconds))
        digest = Self.digest(of: token.text)
    }

    /// Returns true if a text is the token; the time does not depend on the position of a difference.
    func matches(digest given: String) -> Bool {
        let (own, other) = (Array(digest.utf8), Array(given.utf8))
        guard own.count == other.count else { return false }
        return zip(own, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    static func digest(of text: String) -> String { StreamingDigest.sha256(of: text) }

    /// Checks a name: up to 64 letters, digits and `-`, `_`, `.`, `@`.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest`.
    package static func check(name: String) throws(DownloadError) {
        let isPlain = name.utf8.allSatisfy { byte in
            (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                || "-_.@".utf8.contains(byte)
        }
        guard isPlain, (1...64).contains(name.utf8.count) else {
            throw DownloadError(
                .invalidRequest,
                "invalid name \"\(URLRedaction.quoted(name, width: 70))\": expected up to 64 letters, digits and - _ . @"
            )
        }
    }
}

/// The file of named tokens, `tokens.json` in the state folder.
package struct TokenFile: Sendable {
    /// The path.
    package let path: String

    private static let largest = 1 << 20

    /// Makes the value; the file need not exist.
    package init(path: String) { self.path = path }

    /// Returns the tokens, in the order in which they were made; none if there is no file.
    ///
    /// - Throws: `DownloadError` with code `fileFailed`, or `invalidRequest` if other users may read or write the file,
    ///   or it is not a list of tokens.
    package func read() throws(DownloadError) -> [NamedToken] {
        // Unsafe: the path is copied by the call.
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else {
            if errno == ENOENT { return [] }
            throw SystemFailure.error("can't read the tokens in \(path)", errno)
        }
        defer { close(file) }
        var facts = stat()
        // Unsafe: the kernel fills a value that outlives the call.
        guard unsafe fstat(file, &facts) == 0, facts.st_mode & 0o077 == 0, facts.st_uid == geteuid() else {
            throw DownloadError(.invalidRequest, "other users can read the tokens: chmod 600 \(path)")
        }
        guard facts.st_size <= Self.largest else { throw invalid }
        var bytes = [UInt8](repeating: 0, count: Int(facts.st_size))
        // Unsafe: the buffer is borrowed for the call.
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe systemRead(file, $0.baseAddress, $0.count) }
        guard count == bytes.count else { throw SystemFailure.error("can't read the tokens in \(path)", errno) }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        do { return try decoder.decode([NamedToken].self, from: Data(bytes)) } catch { throw invalid }
    }

    /// Adds a new token, or replaces the one with its name.
    ///
    /// - Returns: The token, which can't be read again.
    /// - Throws: `DownloadError` with code `invalidRequest` for an invalid name, `notPossible` if the name is taken,
    ///   or as `read()`.
    package func add(
        _ name: String, _ scope: TokenScope, replaces: Bool = false, at now: Date,
        using generator: inout some RandomNumberGenerator
    ) throws(DownloadError) -> AccessToken {
        try NamedToken.check(name: name)
        let token = try AccessToken.make(using: &generator)
        try change { tokens throws(DownloadError) in
            let entry = NamedToken(name: name, scope: scope, made: now, token: token)
            guard let index = tokens.firstIndex(where: { $0.name == name }) else { return tokens.append(entry) }
            guard replaces else {
                throw DownloadError(
                    .notPossible, "a token named \(name) exists: choose another name, or replace it with --replace")
            }
            tokens[index] = entry
        }
        return token
    }

    /// Removes a token.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if there is none with this name, or as `read()`.
    package func remove(_ name: String) throws(DownloadError) {
        try change { tokens throws(DownloadError) in
            let count = tokens.count
            tokens.removeAll { $0.name == name }
            guard tokens.count < count else {
                throw DownloadError(
                    .invalidRequest, "there is no token named \"\(URLRedaction.quoted(name, width: 70))\"")
            }
        }
    }

    private func change(_ change: (inout [NamedToken]) throws(DownloadError) -> Void) throws(DownloadError) {
        try checkFolder()
        // Of two commands at once, the second one waits for the first.
        let held = try lock()
        defer { close(held) }
        var tokens = try read()
        try change(&tokens)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        encoder.dateEncodingStrategy = .iso8601
        let data: Data
        do { data = try encoder.encode(tokens) } catch {
            throw DownloadError(.internal, "can't write \(path)", cause: "\(error)")
        }
        let new = path + ".new"
        // Unsafe, here and below: the paths are copied by the calls.
        if let code = PrivateFile.write(Array(data), to: new) ?? (unsafe rename(new, path) == 0 ? nil : errno) {
            _ = unsafe unlink(new)
            throw SystemFailure.error("can't write \(path)", code)
        }
    }

    private func lock() throws(DownloadError) -> Int32 {
        // Unsafe: the path is copied by the call.
        let file = unsafe open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw SystemFailure.error("can't open \(path).lock", errno) }
        guard flock(file, LOCK_EX) == 0 else {
            let code = errno
            close(file)
            throw SystemFailure.error("can't lock \(path).lock", code)
        }
        return file
    }

    /// Checks that the folder is the user's own: the daemon does not use files of another user, root included.
    private func checkFolder() throws(DownloadError) {
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        var facts = stat()
        // Unsafe: the path is copied by the call, and the kernel fills a value that outlives it.
        guard unsafe stat(folder, &facts) == 0 else {
            throw SystemFailure.error("can't use the state folder \(folder)", errno)
        }
        guard facts.st_uid == geteuid() else {
            throw DownloadError(
                .invalidRequest, "the state folder \(folder) belongs to another user: run this command as that user")
        }
    }

    private var invalid: DownloadError {
        DownloadError(.invalidRequest, "\(path) is not a list of tokens: remove it, and add the tokens again")
    }
}

/// The named tokens of a running daemon: a change of the file applies to the next request.
package final class TokenKeeper: Sendable {
    private struct State {
        var version: Version?
        var tokens: [NamedToken] = []
        /// True if the file could not be used: it is read again even if it has not changed, since its permissions or
        /// the number of open files may have.
        var hasFailed = false
    }

    /// A file replaced by another one differs in its inode.
    private struct Version: Equatable {
        var inode: UInt64
        var size: Int64
        var seconds: Int
        var nanoseconds: Int
    }

    private let file: TokenFile
    private let logger: Logger
    private let state = Mutex(State())

    /// Makes a keeper; the file is read when a request has a token.
    package init(_ file: TokenFile, logger: Logger) { (self.file, self.logger) = (file, logger) }

    /// Returns the entry of a token; nil if it is unknown.
    ///
    /// A file that can't be used counts as empty, which is logged once.
    package func find(_ text: String) -> NamedToken? {
        let digest = NamedToken.digest(of: text)
        return state.withLock { state in
            let version = current
            let isChanged = version != state.version
            if isChanged || state.hasFailed {
                state.version = version
                do throws(DownloadError) {
                    state.tokens = try file.read()
                    state.hasFailed = false
                } catch {
                    if isChanged || !state.hasFailed {
                        logger.error("the named tokens can't be used", metadata: ["error": "\(error)"])
                    }
                    (state.tokens, state.hasFailed) = ([], true)
                }
            }
            return state.tokens.first { $0.matches(digest: digest) }
        }
    }

    private var current: Version? {
        var facts = stat()
        // Unsafe: the path is copied by the call, and the kernel fills a value that outlives it.
        guard unsafe lstat(file.path, &facts) == 0 else { return nil }
        #if canImport(Darwin)
            let time = facts.st_mtimespec
        #else
            let time = facts.st_mtim
        #endif
        return Version(
            inode: UInt64(facts.st_ino), size: Int64(facts.st_size), seconds: Int(time.tv_sec),
            nanoseconds: Int(time.tv_nsec))
    }
}
