package import HaulCore
import HaulLibC
package import HaulWire
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Stores settings changed over the API, so that they survive a restart of the daemon.
package final class SettingsKeeper: Sendable {
    private struct Kept {
        var patch = SettingsPatch()
        /// True if there is a file that could not be read: it is not overwritten.
        var hasUnreadFile = false
    }

    private let path: String
    private let kept: Mutex<Kept>

    /// Reads the stored settings; an unreadable file counts as empty, and `notice` reports it.
    package init(path: String) {
        self.path = path
        var (kept, notice) = (Kept(), String?.none)
        do throws(DownloadError) {
            if let bytes = try StateFile.read(path, "the changed settings") {
                kept.patch = try WireJSON.decode(Checked<SettingsPatch>.self, from: Data(bytes)).message
            }
        } catch {
            kept.hasUnreadFile = true
            notice =
                "the changed settings in \(path) are ignored: \(error); the next change of a setting renames the file "
                + "to \(Self.unreadPath(path))"
        }
        self.kept = Mutex(kept)
        self.notice = notice
    }

    private static func unreadPath(_ path: String) -> String { path + ".bad" }

    /// The problem with the file, for the user; nil if there is none.
    package let notice: String?

    /// All changes.
    package var patch: SettingsPatch { kept.withLock { $0.patch } }

    /// Stores another change.
    ///
    /// - Throws: `DownloadError` with code `catalogueFailed`.
    package func add(_ patch: SettingsPatch) throws(DownloadError) {
        try store { kept in
            kept.jobs = patch.jobs ?? kept.jobs
            kept.jobsPerHost = patch.jobsPerHost ?? kept.jobsPerHost
            kept.order = patch.order ?? kept.order
            kept.rateLimit = patch.rateLimit ?? kept.rateLimit
            kept.rateSchedule = patch.rateSchedule ?? kept.rateSchedule
        }
    }

    /// Removes all changes.
    ///
    /// - Throws: `DownloadError` with code `catalogueFailed`.
    package func clear() throws(DownloadError) {
        try store { $0 = SettingsPatch() }
    }

    /// Stores earlier changes in place of the present ones.
    ///
    /// - Throws: `DownloadError` with code `catalogueFailed`.
    func restore(_ patch: SettingsPatch) throws(DownloadError) { try store { $0 = patch } }

    /// Removes the changes of some settings, because options of a new start set them.
    ///
    /// - Returns: The settings that had been changed, in the order of `keys`.
    /// - Throws: `DownloadError` with code `catalogueFailed`.
    package func remove(_ keys: [ConfigurationKey]) throws(DownloadError) -> [ConfigurationKey] {
        let changed = patch
        let (rest, removed) = Self.removing(keys, from: changed)
        if rest != changed { try store { $0 = rest } }
        return removed
    }

    /// Returns the changes without those of some settings, and the settings that had been changed, in the order of
    /// `keys`.
    package static func removing(
        _ keys: [ConfigurationKey], from changed: SettingsPatch
    ) -> (rest: SettingsPatch, removed: [ConfigurationKey]) {
        var rest = changed
        let removed = keys.filter { key in
            let before = rest
            switch key {
            case .jobs: rest.jobs = nil
            case .jobsPerHost: rest.jobsPerHost = nil
            case .order: rest.order = nil
            case .limitRate: (rest.rateLimit, rest.rateSchedule) = (nil, nil)
            case .roots, .port, .address, .allowRemote, .hosts, .privateAddresses, .resumeAtStart, .keepEvents,
                .keepHistory, .notifications,
                .webhook, .webhookOn, .webhookSecretFile, .rpcAllowOriginAll, .caCertificate, .proxy, .noProxy,
                .logLevel, .logFormat, .autostart, .stateFolder, .socket:
                break
            }
            return rest != before
        }
        return (rest, removed)
    }

    private func store(_ change: (inout SettingsPatch) -> Void) throws(DownloadError) {
        try kept.withLock { kept throws(DownloadError) in
            var next = kept.patch
            change(&next)
            let data = try WireJSON.encode(next)
            if kept.hasUnreadFile { try keepUnreadFile() }
            kept.hasUnreadFile = false
            do {
                // Written to a temporary file and renamed: a daemon that is killed leaves the old or the new one.
                try data.write(to: URL(filePath: path), options: .atomic)
            } catch {
                // The same code as for the list: it means that the daemon can't save.
                throw DownloadError(
                    .catalogueFailed, "can't write the settings to \(path): free some space, or check its permissions")
            }
            kept.patch = next
        }
    }

    private func keepUnreadFile() throws(DownloadError) {
        // Unsafe: the paths are copied by the call.
        guard unsafe rename(path, Self.unreadPath(path)) != 0, errno != ENOENT else { return }
        throw DownloadError(
            .catalogueFailed, "can't rename \(path), which can't be read, to \(Self.unreadPath(path))",
            cause: SystemFailure.text(errno))
    }
}
