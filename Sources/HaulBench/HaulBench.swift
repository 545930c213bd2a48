import ArgumentParser

/// Programs that the benchmarks measure; no product, not installed.
@main
struct HaulBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "haul-bench", abstract: "Measures what no other program can.",
        subcommands: [BareLoop.self, QueueWork.self, TickWork.self])
}
