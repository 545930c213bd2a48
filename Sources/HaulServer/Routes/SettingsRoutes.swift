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
    func change(_ patch: SettingsPatch) async throws(DownloadError) -> SettingsMessage {
        var settings = try await manager.currentSettings
        try settings.apply(patch)
        try await manager.update(settings)
        try keeper?.add(patch)
        return SettingsMessage(settings)
    }

    /// Resets to the settings of the configuration.
    func resetSettings() async throws(DownloadError) -> SettingsMessage {
        let settings = rules.settings
        try await manager.update(settings)
        try keeper?.clear()
        return SettingsMessage(settings)
    }

    /// Applies the settings of a reloaded configuration; changes made over the API still take precedence.
    package func take(_ configured: ManagerSettings) async throws(DownloadError) {
        var settings = configured
        if let patch = keeper?.patch { try settings.apply(patch) }
        try await manager.update(settings)
        change { $0.settings = configured }
    }
}

extension ManagerSettings {
    /// Applies a patch.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` for a number out of range, or an invalid schedule.
    package mutating func apply(_ patch: SettingsPatch) throws(DownloadError) {
        if let change = patch.jobs {
            limit = try change.value.map { count throws(DownloadError) in
                try Bounds.check(count, 0...10_000, "jobs")
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
            rateLimit: settings.rateLimit, rateSchedule: settings.rateSchedule.map(Self.text))
    }

    /// Returns a schedule in the form in which it is parsed.
    private static func text(_ schedule: RateSchedule) -> String {
        func rate(_ rate: Int64?) -> String { rate.map(String.init) ?? "unlimited" }
        func time(_ minutes: Int) -> String {
            let (hour, minute) = minutes.quotientAndRemainder(dividingBy: 60)
            return (hour < 10 ? "0" : "") + "\(hour):" + (minute < 10 ? "0" : "") + "\(minute)"
        }
        let parts = schedule.parts.map { "\(time($0.start))-\(time($0.end)) \(rate($0.rate))" }
        guard !parts.isEmpty else { return rate(schedule.otherwise) }
        return (parts + ["else \(rate(schedule.otherwise))"]).joined(separator: ", ")
    }
}
