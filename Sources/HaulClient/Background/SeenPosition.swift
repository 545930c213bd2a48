import HaulCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The number of the last event that a program has seen, in a file that outlives the program.
///
/// The file is replaced as a whole, by a rename: a process that is killed meanwhile leaves the old number or the new
/// one.
struct SeenPosition: Sendable {
    /// The path of the file.
    let path: String
    private(set) var number: Int64?

    /// Reads the file; content that is not a number is ignored.
    ///
    /// - Throws: `DownloadError` with code `fileFailed` if the file exists but can't be read: without its number, the
    ///   program would miss events.
    init(path: String) throws(DownloadError) {
        self.path = path
        do {
            let data = try Data(contentsOf: URL(filePath: path))
            number = Int64(String(decoding: data, as: UTF8.self).prefix(while: \.isNumber))
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
            number = nil
        } catch {
            throw DownloadError(.fileFailed, "can't read the position in the events in \(path)", cause: "\(error)")
        }
    }

    /// Returns the path of the file for an identifier, by the XDG Base Directory Specification; nil if the environment
    /// names no folder.
    static func path(of identifier: String, environment: [String: String]) -> String? {
        DaemonEndpoint.stateFolder(environment).map { "\($0)/clients/\(identifier)" }
    }

    /// Records a number.
    ///
    /// - Throws: `DownloadError` with code `fileFailed`.
    mutating func keep(_ number: Int64) throws(DownloadError) {
        guard number != self.number else { return }
        do {
            let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
            if self.number == nil {
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            }
            try Data("\(number)\n".utf8).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw DownloadError(.fileFailed, "can't write the position in the events to \(path)", cause: "\(error)")
        }
        self.number = number
    }
}
