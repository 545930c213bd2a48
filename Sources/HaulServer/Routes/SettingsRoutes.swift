import HTTPTypes
package import Haul
package import HaulCore
package import HaulWire
import HummingbirdCore

/// The settings that can be changed while the daemon runs.
enum SettingsRoutes {
    /// The routes.
    static func all(_ state: DaemonState) -> [APIRoute] {
        [
            APIRoute(.get, APIPath.settings) { request in
                try request.allow([])
                return try .message(SettingsMessage(try await state.manager.currentSettings))
            },
            APIRoute(.patch, APIPath.settings) { request in
                try request.allow([])
                let patch = try request.message(SettingsPatch.self)
                return try .message(try await state.change(patch))
            },
            APIRoute(.delete, APIPath.settings) { request in
                try request.allow([])
                return try .message(try await state.resetSettings())
            },
        ]
    }
}

extension DaemonState {
    /// Changes settings immediately, and stores the changes.
    ///
    /// - Throws: `DownloadError`; nothing has changed then.
    @discardableResult
    package func change(_ patch: SettingsPatch) async throws(DownloadError) -> SettingsMessage {
        try await settingsTurn.pass { () async throws(DownloadError) in
            var settings = try await manager.currentSettings
            try settings.apply(patch)
            return try await apply(settings) { keeper throws(DownloadError) in try keeper.add(patch) }
        }
    }

    /// Resets to the settings of the configuration.
    ///
    /// - Throws: `DownloadError`; nothing has changed then.
    func resetSettings() async throws(DownloadError) -> SettingsMessage {
        try await settingsTurn.pass { () async throws(DownloadError) in
            try await apply(rules.settings) { keeper throws(DownloadError) in try keeper.clear() }
        }
    }

    /// Applies the settings of a reloaded configuration; changes made over the API still take precedence.
    package func take(_ configured: ManagerSettings) async throws(DownloadError) {
        try await settingsTurn.pass { () async throws(DownloadError) in
            var settings = configured
            if let patch = keeper?.patch { try settings.apply(patch) }
            try await manager.update(settings)
            change { $0.settings = configured }
        }
    }

    /// Stores settings, and then applies them.
    private func apply(
        _ settings: ManagerSettings, storing store: (SettingsKeeper) throws(DownloadError) -> Void
    ) async throws(DownloadError) -> SettingsMessage {
        let before = keeper?.patch
        if let keeper { try store(keeper) }
        do throws(DownloadError) { try await manager.update(settings) } catch {
            if let before { try? keeper?.restore(before) }
            throw error
        }
        return SettingsMessage(settings)
    }
}

extension ManagerSettings {
    /// The maximum number of concurrent downloads that can be set.
    package static let maxLimit = 10_000

    /// Applies a patch.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` for a number out of range, or an invalid schedule.
    package mutating func apply(_ patch: SettingsPatch) throws(DownloadError) {
        if let change = patch.jobs {
            limit = try change.value.map { count throws(DownloadError) in
                try Bounds.check(count, 0...Self.maxLimit, "jobs")
            }
        }
        if let change = patch.jobsPerHost {
            hostLimit = try change.value.map { count throws(DownloadError) in
                try Bounds.check(count, 1...10_000, "jobsPerHost")
            }
        }
        order = patch.order ?? order
        if let change = patch.rateLimit {
            let rate = try Bounds.check(change.value ?? 0, 0...Bounds.maxRate, "rateLimit")
            rateLimit = rate > 0 ? rate : nil
        }
        if let change = patch.rateSchedule {
            rateSchedule = try change.value.map { text throws(DownloadError) in try RateSchedule(parsing: text) }
        }
    }
}

extension SettingsMessage {
    /// Makes the message for settings.
    init(_ settings: ManagerSettings) {
        self.init(
            jobs: settings.limit, jobsPerHost: settings.hostLimit, order: settings.order,
            rateLimit: settings.rateLimit, rateSchedule: settings.rateSchedule?.description)
    }
}
