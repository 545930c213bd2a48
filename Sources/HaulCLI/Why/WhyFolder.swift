package import HaulCore
import HaulLibC

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The folder with the records of longer `haul get` runs: `$XDG_STATE_HOME/haul/why`, readable only by its owner.
package struct WhyFolder: Sendable {
    /// The path.
    package let path: String

    /// The number of records that are kept.
    package static let maxRecords = 20
    /// The maximum size of a record in bytes.
    private static let largest: Int64 = 32 << 20

    /// Makes the value for a folder.
    package init(path: String) {
        self.path = path
    }

    /// Makes the value for this user's folder; nil if the environment names no home.
    ///
    /// A relative `XDG_STATE_HOME` is ignored (XDG Base Directory Specification).
    package init?(_ environment: TerminalEnvironment) {
        if let state = environment.value("XDG_STATE_HOME"), state.hasPrefix("/") {
            self.init(path: state + "/haul/why")
        } else if let home = environment.value("HOME"), home.hasPrefix("/") {
            self.init(path: home + "/.local/state/haul/why")
        } else {
            return nil
        }
    }

    /// Writes a record, replacing an older one of the same run.
    ///
    /// The file is written completely or not at all. Errors are ignored: no download must suffer from them.
    package func write(_ record: GetRecord) {
        guard let text = try? Self.text(record) else { return }
        try? FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let final = "\(path)/\(Self.name(record))"
        let temporary = "\(final).\(record.process).tmp"
        // Unsafe: the C strings live for the call.
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        let isWritten = OutputFile(descriptor: descriptor).write(text)
        guard close(descriptor) == 0, isWritten, unsafe rename(temporary, final) == 0 else {
            _ = unsafe unlink(temporary)
            return
        }
    }

    /// Removes all but the newest records, and partial files of killed processes.
    package func tidy() {
        let old = names().dropLast(Self.maxRecords)
        let half = entries().filter { $0.hasSuffix(".tmp") && !isAtWork($0) }
        for name in old + half { _ = unsafe unlink("\(path)/\(name)") }
    }

    /// Returns the record of a process, or the newest.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if there is none.
    package func record(ofProcess process: Int32?) throws(DownloadError) -> GetRecord {
        let ending = process.map { "-\($0).json" } ?? ".json"
        guard let name = names().last(where: { $0.hasSuffix(ending) }) else {
            let which = process.map { "of process \($0) " } ?? ""
            throw DownloadError(
                .invalidRequest,
                "no record \(which)in \(path): a `haul get` writes one if it takes a second or more")
        }
        return try Self.record(at: "\(path)/\(name)")
    }

    /// Returns the record in a file.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if the file is not a valid record.
    package static func record(at path: String) throws(DownloadError) -> GetRecord {
        let shown = URLRedaction.quoted(path, width: 200)
        guard let size = size(of: path), let data = size <= largest ? FileManager.default.contents(atPath: path) : nil
        else {
            throw DownloadError(
                .invalidRequest, "can't read \(shown): give the process ID or the record of a `haul get`")
        }
        guard let record = record(from: data) else {
            throw DownloadError(.invalidRequest, "\(shown) is not a record of `haul get`, or of another version")
        }
        return record
    }

    /// Returns the record encoded in some bytes; nil if they are not a valid record.
    package static func record(from bytes: [UInt8]) -> GetRecord? { record(from: Data(bytes)) }

    private static func record(from data: Data) -> GetRecord? {
        guard let record = try? JSONDecoder().decode(GetRecord.self, from: data), record.isSound else { return nil }
        return record
    }

    /// Returns a value as JSON on one line.
    package static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
    }

    private static func size(of path: String) -> Int64? {
        var status = stat()
        // Unsafe: the C string lives for the call, and the kernel writes one `stat`, which outlives it.
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int64(status.st_size)
    }

    /// Returns the file name: it starts with the time, whose number of digits stays the same for centuries, so names
    /// sort by time.
    private static func name(_ record: GetRecord) -> String { "\(record.began)-\(record.process).json" }

    /// Returns the names of the records, oldest first.
    package func names() -> [String] { entries().filter { $0.hasSuffix(".json") }.sorted() }

    private func entries() -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] }

    private func isAtWork(_ name: String) -> Bool {
        guard let process = name.split(separator: ".").dropLast().last.flatMap({ Int32($0) }) else { return false }
        return Self.isAlive(process)
    }

    /// Returns true if a process exists: kill(2) with signal 0.
    package static func isAlive(_ process: Int32) -> Bool {
        process > 0 && (kill(process, 0) == 0 || errno == EPERM)
    }
}
