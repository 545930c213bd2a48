import ArgumentParser
import HaulClient
import HaulCore
import HaulOptions
import HaulWire

/// `haul limit`.
struct LimitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "limit", abstract: "Limit the speed of all downloads together, or of single ones.",
        usage: "haul limit [<rate>] [<id> ...]",
        discussion: """
            A rate is a number of bytes per second, such as 500K or 2M, or none. For all
            downloads together it may depend on the time of day: "22:00-06:00 unlimited,
            else 2M". Without a rate, the current limit is shown.
            """)

    @Argument(help: ArgumentHelp("Maximum speed in bytes per second, or none.", valueName: "rate")) var rate: String?
    @OptionGroup var selection: SelectionOptions
    @Flag(help: OptionHelp.json) var json = false

    func run() async throws {
        guard let rate else { return try await SettingsShow(json: json).run() }
        var problems = InvalidOptions()
        if let last = selection.ids.last, Self.isTurnedRound(rate, last) {
            problems.add("the rate must come first: haul limit \(last) \(rate)")
            throw problems
        }
        if case .unsaid = try selection.selection() {
            let patch = problems.read("") { () throws(DownloadError) in try SettingsPatch(rate: rate) }
            guard let patch else { throw problems }
            return try await SettingsShow(json: json).run(patch)
        }
        let limit = problems.read("") { () throws(DownloadError) in
            rate == "none" ? 0 : try RateArgument(parsing: rate).bytesPerSecond
        }
        guard let limit else { throw problems }
        var action = ActionRequest(.set)
        action.rateLimit = limit
        try await VerbRun(past: "limited", action: action) { (client, id) throws(DownloadError) in
            try await client.change(id, ChangeRequest(rateLimit: limit))
        }
        .run(selection, json: json)
    }

    /// Returns true if the rate and the number of a download were swapped.
    static func isTurnedRound(_ rate: String, _ id: String) -> Bool {
        guard (try? Selection.ids(parsing: rate)) != nil, (try? Selection.ids(parsing: id)) == nil else { return false }
        return id == "none" || (try? RateArgument(parsing: id)) != nil
    }
}

extension SettingsPatch {
    /// Sets the common limit: a rate, a schedule, or none.
    init(rate: String) throws(DownloadError) {
        self.init()
        (rateLimit, rateSchedule) = (Change<Int64>.none, Change<String>.none)
        guard rate != "none" else { return }
        let schedule = try RateSchedule(parsing: rate)
        if schedule.parts.isEmpty {
            rateLimit = Change(schedule.otherwise)
        } else {
            rateSchedule = Change(schedule.description)
        }
    }
}
