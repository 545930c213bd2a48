import ArgumentParser
import HaulClient
import HaulCore
import HaulWire

/// `haul pause`.
struct PauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Pause downloads, and keep their partial files.")

    @OptionGroup var selection: SelectionOptions
    @Flag(help: OptionHelp.json) var json = false

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
        commandName: "resume", abstract: "Resume paused downloads.")

    @OptionGroup var selection: SelectionOptions
    @Flag(help: OptionHelp.now) var now = false
    @Flag(help: OptionHelp.json) var json = false

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
        commandName: "cancel", abstract: "Cancel downloads; they stay in the list and `haul retry` resumes them.")

    @OptionGroup var selection: SelectionOptions
    @Flag(help: "Delete the partial files.") var deletePartial = false
    @Flag(help: OptionHelp.json) var json = false

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

/// `haul retry`.
struct RetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Retry failed or cancelled downloads, or download finished ones again.")

    @OptionGroup var selection: SelectionOptions
    @Flag(help: "Delete the partial file, and start over.") var fromStart = false
    @Flag(help: OptionHelp.json) var json = false

    func run() async throws {
        let fromStart = fromStart
        var action = ActionRequest(.retry)
        action.fromStart = fromStart
        try await VerbRun(past: "retrying", action: action) { (client, id) throws(DownloadError) in
            try await client.retry(id, fromStart: fromStart)
        }
        .run(selection, json: json)
    }
}
