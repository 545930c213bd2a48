package import HaulCore
import HaulLibC

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The token for access over TCP: 256 bits, created once per installation.
package struct AccessToken: Sendable {
    /// The token: 64 hexadecimal digits, or the text that the user has put into the file.
    package let text: String

    /// Makes a token from a text of at least 22 characters, enough for 128 bits.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if the text is too short, or has characters that are not
    ///   allowed in a header.
    package init(_ text: String) throws(DownloadError) {
        guard text.utf8.count >= 22, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw DownloadError(
                .invalidRequest,
                "the daemon's token must have at least 22 printable characters: remove the file, and a new one is created"
            )
        }
        self.text = text
    }

    /// Makes a new token.
    package static func make(using generator: inout some RandomNumberGenerator) throws(DownloadError) -> AccessToken {
        let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return try AccessToken(bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())
    }

    /// Returns true if a text is the token; the time does not depend on the position of a difference.
    package func matches(_ given: String) -> Bool {
        let (own, other) = (Array(text.utf8), Array(given.utf8))
        var difference = UInt8(own.count == other.count ? 0 : 1)
        for index in own.indices { difference |= own[index] ^ (index < other.count ? other[index] : 0) }
        return difference == 0
    }
}

extension AccessToken {
    /// Reads the token in a file, which is created, readable for the user only, if it does not exist.
    ///
    /// - Throws: `DownloadError` with code `fileFailed`, or `invalidRequest` if other users may read it or it is too
    ///   short.
    package static func kept(at path: String) throws(DownloadError) -> AccessToken {
        if let token = try read(path) {
            removeDrafts(of: path)
            return token
        }
        var generator = SystemRandomNumberGenerator()
        let token = try make(using: &generator)
        // A file beside it first: a process that is killed must not leave an empty token.
        let draft = "\(path).draft-\(getpid())"
        if let code = PrivateFile.write(Array((token.text + "\n").utf8), to: draft) {
            throw SystemFailure.error("can't write the daemon's token to \(path)", code)
        }
        // Unsafe: the paths are copied by the calls.
        defer { _ = unsafe unlink(draft) }
        // Of two daemons that start at once, one creates it and both read it.
        if unsafe link(draft, path) == 0 { return token }
        // The other one may also have removed this draft.
        if let token = try read(path) { return token }
        // A file system without hard links.
        guard unsafe rename(draft, path) == 0 else {
            let code = errno
            // A third one may have removed the draft, after another one had created the token.
            if let token = try read(path) { return token }
            throw SystemFailure.error("can't write the daemon's token to \(path)", code)
        }
        return token
    }

    /// Removes the drafts that killed processes have left beside a token, which exists.
    private static func removeDrafts(of path: String) {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { String(path[...$0]) } ?? "./"
        let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
        for each in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where isDraft(each, of: name) {
            let draft = folder + each
            var facts = stat()
            // Unsafe: the path is copied by the calls, and the kernel fills a value that outlives the call.
            guard unsafe lstat(draft, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_uid == geteuid()
            else { continue }
            _ = unsafe unlink(draft)
        }
    }

    /// Returns true if a name is that of a token's draft, which ends with the number of a process.
    private static func isDraft(_ name: String, of token: String) -> Bool {
        let start = token + ".draft-"
        guard name.hasPrefix(start) else { return false }
        let end = name.dropFirst(start.count)
        return Int32(end).map { $0 > 0 && String($0) == end } ?? false
    }

    /// Checks the token in a file, if that exists; creates nothing.
    ///
    /// - Throws: As `kept(at:)`.
    static func check(at path: String) throws(DownloadError) { _ = try read(path) }

    private static func read(_ path: String) throws(DownloadError) -> AccessToken? {
        // Unsafe: the path is copied by the call.
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw SystemFailure.error("can't read the daemon's token from \(path)", errno)
        }
        defer { close(file) }
        var facts = stat()
        // Unsafe: the kernel fills a value that outlives the call.
        guard unsafe fstat(file, &facts) == 0, facts.st_mode & 0o077 == 0, facts.st_uid == geteuid() else {
            throw DownloadError(.invalidRequest, "other users can read the daemon's token: chmod 600 \(path)")
        }
        var bytes = [UInt8](repeating: 0, count: 1024)
        // Unsafe: the buffer is borrowed for the call.
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe systemRead(file, $0.baseAddress, $0.count) }
        guard count >= 0 else { throw SystemFailure.error("can't read the daemon's token from \(path)", errno) }
        let line = bytes.prefix(count).prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        return try AccessToken(String(decoding: line, as: UTF8.self))
    }
}
