package import HaulCore
package import HaulWire
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Stores settings changed over the API, so that they survive a restart of the daemon.
package final class SettingsKeeper: Sendable {
    private let path: String
    private let kept: Mutex<SettingsPatch>

    /// Reads the stored settings; an unreadable file counts as empty, and `notice` reports it.
    package init(path: String) {
        self.path = path
        var (patch, notice) = (SettingsPatch(), String?.none)
        if let data = try? Data(contentsOf: URL(filePath: path)) {
            do throws(DownloadError) {
                patch = try WireJSON.decode(Checked<SettingsPatch>.self, from: data).message
            } catch {
                notice = "can't read the settings in \(path), which are ignored: \(error.message)"
            }
        }
        kept = Mutex(patch)
        self.notice = notice
    }

    /// The problem with the file, for the user; nil if there is none.
    package let notice: String?

    /// All changes.
    package var patch: SettingsPatch { kept.withLock { $0 } }

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
            var next = kept
            change(&next)
            let data = try WireJSON.encode(next)
            do {
                // Written to a temporary file and renamed: a daemon that is killed leaves the old or the new one.
                try data.write(to: URL(filePath: path), options: .atomic)
            } catch {
                // The same code as for the list: it means that the daemon can't save.
                throw DownloadError(
                    .catalogueFailed, "can't write the settings to \(path): free some space, or check its permissions")
            }
            kept = next
        }
    }
}
