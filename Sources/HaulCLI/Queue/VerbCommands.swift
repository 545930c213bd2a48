import ArgumentParser
import HaulClient
import HaulCore
import HaulWire

/// One thing done to the downloads that were chosen: each by its number with an answer of its own, or all that pass in one go.
struct VerbRun: Sendable {
    /// What is said when it is done: `paused`.
    let past: String
    /// What is asked for many.
    let action: ActionRequest
    /// What is asked for one; nil where nothing is left to tell of it.
    let one: @Sendable (DaemonClient, DownloadID) async throws(DownloadError) -> DownloadMessage?

    func run(_ options: SelectionOptions, json: Bool) async throws {
        let selection = try options.selection(isNeeded: true)
        try await QueueProgram.run { (client, outcome) throws(DownloadError) in
            switch selection {
            case .ids(let ids): for id in ids { try await change(id, client, json, &outcome) }
            case .filter(let filter): try await change(filter, client, json, outcome)
            case .all, .unsaid: try await change(nil, client, json, outcome)
            }
        }
    }

    private func change(
        _ id: DownloadID, _ client: DaemonClient, _ json: Bool, _ outcome: inout QueueOutcome
    ) async throws(DownloadError) {
        do throws(DownloadError) {
            let message = try await one(client, id)
            guard json else { return outcome.say("\(past) \(id)" + (message.map { "  \($0.name)" } ?? "")) }
            if let message { try outcome.write(message) } else { try outcome.write(["id": id]) }
        } catch {
            // Without a daemon none of the others can be asked either.
            guard error.code != .connectionFailed else { throw error }
            if json { try outcome.write(QueueOutcome.Failure(id: id, error: error)) }
            outcome.fail(error)
        }
    }

    private func change(
        _ filter: FilterMessage?, _ client: DaemonClient, _ json: Bool, _ outcome: QueueOutcome
    ) async throws(DownloadError) {
        var request = action
        request.filter = filter
        request.all = filter == nil ? true : nil
        let changed = try await client.act(request)
        guard json else { return outcome.say("\(past) \(changed) download\(changed == 1 ? "" : "s")") }
        try outcome.write(ActionMessage(changed: changed))
    }
}

/// `haul pause`.
struct PauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Stop downloads of the daemon, and keep what is there.")

    @OptionGroup var selection: SelectionOptions
    @Flag(help: "Write JSON lines.") var json = false

    func run() async throws {
        try await VerbRun(past: "paused", action: ActionRequest(.pause)) { (client, id) throws(DownloadError) in
            try await client.pause(id)
        }
        .run(selection, json: json)
    }
}

/// `haul resume`.
struct ResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Let paused downloads go on, when their turn comes.")

    @OptionGroup var selection: SelectionOptions
    @Flag(help: "Start them at once, beyond the limits.") var now = false
    @Flag(help: "Write JSON lines.") var json = false

    func run() async throws {
        let now = now
        try await VerbRun(past: "resumed", action: ActionRequest(now ? .start : .resume)) {
            (client, id) throws(DownloadError) in
            if now { try await client.start(id) } else { try await client.resume(id) }
        }
        .run(selection, json: json)
    }
}

/// `haul cancel`.
struct CancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "End downloads for good; they stay in the list, and haul retry goes on.")

    @OptionGroup var selection: SelectionOptions
    @Flag(help: "Delete what is there of the files, too.") var deletePartial = false
    @Flag(help: "Write JSON lines.") var json = false

    func run() async throws {
        let keeps = !deletePartial
        var action = ActionRequest(.cancel)
        action.keepPartial = keeps
        try await VerbRun(past: "cancelled", action: action) { (client, id) throws(DownloadError) in
            try await client.cancel(id, keepPartial: keeps)
        }
        .run(selection, json: json)
    }
}

/// `haul remove`.
struct RemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Take downloads out of the list; a finished file stays, a partial one goes.")

    @OptionGroup var selection: SelectionOptions
    @Option(
        help: ArgumentHelp("Which files go: partial, none, or all, the finished ones too.", valueName: "which"))
    var files = RemovedFiles.partial.rawValue
    @Flag(help: "Write JSON lines.") var json = false

    func run() async throws {
        var problems = InvalidOptions()
        let read = problems.read("--files") { () throws(DownloadError) in
            try ChoiceArgument.parse(files, as: RemovedFiles.self)
        }
        guard let which = read else { throw problems }
        var action = ActionRequest(.remove)
        action.files = which
        try await VerbRun(past: "removed", action: action) { (client, id) throws(DownloadError) in
            try await client.remove(id, files: which)
            return nil
        }
        .run(selection, json: json)
    }
}

/// `haul retry`.
struct RetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Try downloads again that failed, were cancelled, or are wanted anew.")

    @OptionGroup var selection: SelectionOptions
    @Flag(help: "Throw away what is there, and begin anew.") var fromStart = false
    @Flag(help: "Write JSON lines.") var json = false

    func run() async throws {
        let fromStart = fromStart
        var action = ActionRequest(.retry)
        action.fromStart = fromStart
        try await VerbRun(past: "tried again:", action: action) { (client, id) throws(DownloadError) in
            try await client.retry(id, fromStart: fromStart)
        }
        .run(selection, json: json)
    }
}
