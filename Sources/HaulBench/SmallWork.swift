import ArgumentParser
import Haul
import HaulCore

/// Benchmark B21: many small files through a manager, whose queue is filled before the first one starts.
struct SmallWork: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "small", abstract: "Downloads many small files through a manager; prints JSON.")

    @Option(help: "How many files.") var count = 10_000
    @Option(help: "How many of them at once.") var limit = 16
    @Option(help: "A folder for the list.") var list: String
    @Argument(help: "The URL of a folder with the files 0.bin, 1.bin and so on.") var url: String
    @Argument(help: "A folder for the files.") var folder: String

    func run() async throws {
        var configuration = ManagerConfiguration(storage: .file(path: "\(list)/list.sqlite"))
        configuration.settings.limit = 0
        let manager = try await DownloadManager(configuration)
        try await manager.add(
            contentsOf: (0..<count).map {
                DownloadSpec(url: "\(url)/\($0).bin", destination: .folder(path: folder))
            })
        var figures = Figures()
        let processor = Figures.processorSeconds()
        let seconds = try await Figures.seconds {
            configuration.settings.limit = limit
            try await manager.update(configuration.settings)
            await manager.idle()
        }
        figures["filesPerSecond"] = Double(count) / seconds
        figures["processorMicroseconds"] = (Figures.processorSeconds() - processor) / Double(count) * 1e6
        let finished = try await manager.count(.state(.finished))
        guard finished == count else { throw ValidationError("only \(finished) of \(count) files were downloaded") }
        try await manager.remove(.all, files: .all)
        figures["mebibytesAfterRemoval"] = Double(Figures.residentBytes()) / Double(1 << 20)
        await manager.close()
        print(figures.json)
    }
}
