package import HaulCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How the last daemon was started, in `daemon.json` of its state folder.
///
/// The next start takes the settings over, so that the downloads of the list find the same roots, ports and limits.
package struct DaemonRecord: Hashable, Sendable, Codable {
    /// The settings that options and environment named, by name.
    package private(set) var settings: [String: [String]]
    /// The settings that are not kept because they hold a password.
    package private(set) var withheld: [String]
    /// The configuration file, if one was named.
    package var configuration: String?
    /// The Unix socket.
    package var socket: String

    /// Makes a record; the URL of a proxy that holds a password is left out.
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

    /// The record in a file; nil if there is none that can be read.
    package init?(path: String) {
        guard let data = try? Data(contentsOf: URL(filePath: path)), data.count < 1 << 20,
            let record = try? JSONDecoder().decode(Self.self, from: data)
        else { return nil }
        self = record
    }

    /// Writes the record for the user alone.
    ///
    /// - Throws: `DownloadError` with code `fileFailed`.
    package func save(path: String) throws(DownloadError) {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
            // The folder is the user's alone (`DaemonPaths.prepare`), so nobody else can read the file at any time.
            try encoder.encode(self).write(to: URL(filePath: path), options: .atomic)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        } catch {
            throw DownloadError(.fileFailed, "can't write \(path)", cause: "\(error)")
        }
    }

    /// The settings among `asked` that differ from those of a daemon which was started as this record says.
    ///
    /// - Parameter file: What is in the daemon's configuration file.
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
