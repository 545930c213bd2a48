import ArgumentParser

/// The programs that the benchmarks measure; not part of a product, and not installed.
@main
struct HaulBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "haul-bench", abstract: "Measures what no other program can.",
        subcommands: [BareLoop.self, BulkWork.self, QueueWork.self, SmallWork.self, TickWork.self])
}
