package import HaulCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The settings that the last daemon was started with, in `daemon.json` of its state folder.
///
/// The next start uses the same settings, so that the downloads of the list find the same roots, ports and limits.
package struct DaemonRecord: Hashable, Sendable, Codable {
    /// The settings from options and environment, by name.
    package private(set) var settings: [String: [String]]
    /// The settings that are not saved because they contain a password.
    package private(set) var withheld: [String]
    /// The configuration file, if one was named.
    package var configuration: String?
    /// The Unix socket.
    package var socket: String

    /// Makes a record, without the URL of a proxy that contains a password.
    package init(_ values: [ConfigurationKey: [String]], configuration: String?, socket: String) {
        let isSecret = { (key: ConfigurationKey, values: [String]) in
            key == .proxy && values.contains { $0.contains("@") }
        }
        settings = Dictionary(
            uniqueKeysWithValues: values.filter { !isSecret($0.key, $0.value) }.map { ($0.key.rawValue, $0.value) })
        withheld = values.filter { isSecret($0.key, $0.value) }.map(\.key.rawValue).sorted()
        (self.configuration, self.socket) = (configuration, socket)
    }

    /// The settings by key.
    package var values: [ConfigurationKey: [String]] {
        settings.reduce(into: [:]) { result, pair in
            if let key = ConfigurationKey(rawValue: pair.key) { result[key] = pair.value }
        }
    }

    /// Reads the record in a file; nil if the file does not exist, or is not a record.
    ///
    /// - Throws: `DownloadError` with code `fileFailed` if the file can't be read.
    package init?(path: String) throws(DownloadError) {
        guard let bytes = try StateFile.read(path, "the options of the last start"), bytes.count < 1 << 20,
            let record = try? JSONDecoder().decode(Self.self, from: Data(bytes))
        else { return nil }
        self = record
    }

    /// Writes the record, readable for the user only.
    ///
    /// - Throws: `DownloadError` with code `fileFailed`.
    package func save(path: String) throws(DownloadError) {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
            // The folder is accessible to the user only (`DaemonPaths.prepare`), so no other user can read the file at
            // any time.
            try encoder.encode(self).write(to: URL(filePath: path), options: .atomic)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        } catch {
            throw DownloadError(.fileFailed, "can't write \(path)", cause: "\(error)")
        }
    }

    /// Returns the settings in `asked` that differ from those of a daemon started with this record.
    ///
    /// - Parameter file: The settings in the daemon's configuration file.
    package func differences(
        from asked: [ConfigurationKey: [String]], file: [ConfigurationKey: [String]]
    ) -> [ConfigurationKey] {
        let actual = file.merging(values) { $1 }
        return asked.filter { key, value in
            !withheld.contains(key.rawValue) && actual[key] != value
        }
        .map(\.key).sorted { $0.rawValue < $1.rawValue }
    }
}
