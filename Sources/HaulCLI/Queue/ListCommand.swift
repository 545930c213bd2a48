import ArgumentParser
import HaulClient
import HaulCore
import HaulOptions
import HaulWire

/// `haul list`.
struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the daemon's downloads, in the order of the queue.")

    @OptionGroup var selection: SelectionOptions
    @Option(help: ArgumentHelp("Maximum number of downloads.", valueName: "n")) var limit: String?
    @Flag(help: "Reverse the order.") var reverse = false
    @Flag(help: OptionHelp.json) var json = false
    @Flag(help: OptionHelp.showSecrets) var showSecrets = false

    /// The maximum number of downloads on one page.
    private static let page = 1000

    func run() async throws {
        let selection = try selection.selection()
        var problems = InvalidOptions()
        let maximum = limit.map { text in
            problems.read("--limit") { () throws(DownloadError) in try WholeNumber.parse(text, in: 1...1_000_000_000) }
        }
        guard problems.messages.isEmpty else { throw problems }
        let (limit, order, json) = (maximum.flatMap(\.self) ?? .max, reverse ? ListOrder.reversed : .list, json)
        let showsSecrets = showSecrets
        try await QueueProgram.run { (client, outcome) throws(DownloadError) in
            let text = ListText(.standardOutput)
            var filter = selection.filter
            if case .ids(let ids) = selection {
                let found = try await outcome.existing(ids, client)
                guard !found.isEmpty else { return }
                filter.ids = found
            }
            // Several requests for parts of the numbers would not keep the order of the queue.
            let picked: Set<DownloadID>? = filter.ids.flatMap { $0.count > QueueOutcome.portion ? Set($0) : nil }
            if picked != nil { filter.ids = nil }
            var (rest, after) = (limit, DownloadID?.none)
            repeat {
                let size = picked == nil ? min(rest, Self.page) : Self.page
                let page = try await client.list(filter, after: after, limit: size, order: order)
                let shown = page.downloads.filter { picked?.contains($0.id) ?? true }.prefix(rest)
                for download in shown {
                    if json {
                        try outcome.write(download, showsSecrets: showsSecrets)
                    } else {
                        outcome.say(text.line(download))
                    }
                }
                (rest, after) = (rest - shown.count, page.next)
            } while after != nil && rest > 0
            if rest == limit, !json, OutputFile.standardOutput.isTerminal { outcome.say("no matching downloads") }
        }
    }
}
