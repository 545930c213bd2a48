import ArgumentParser
import HaulClient
import HaulCore
import HaulWire

/// Shows the daemon's settings, and changes them first if requested.
struct SettingsShow: Sendable {
    let json: Bool

    func run(_ patch: SettingsPatch? = nil, resets: Bool = false) async throws {
        let json = json
        try await QueueProgram.run { (client, outcome) throws(DownloadError) in
            if resets { _ = try await client.resetSettings() }
            let settings = if let patch { try await client.change(patch) } else { try await client.settings() }
            guard !json else { return try outcome.write(settings) }
            for line in Self.lines(settings) { outcome.say(line) }
        }
    }

    /// Returns one line for each setting.
    static func lines(_ settings: SettingsMessage) -> [String] {
        func number(_ value: Int?) -> String { value.map { "\($0)" } ?? "no limit" }
        let rate = settings.rateSchedule ?? settings.rateLimit.map { RowText.speed(Double($0)) } ?? "no limit"
        return [
            "limit-rate:     \(rate)", "jobs:           \(number(settings.jobs))",
            "jobs-per-host:  \(number(settings.jobsPerHost))", "order:          \(settings.order.rawValue)",
        ]
    }
}
