import ArgumentParser
import Haul
import HaulCore
import NIOCore
import NIOPosix

/// The cost of progress events with many subscribers.
struct TickWork: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ticks", abstract: "Tells progress to many subscribers; prints JSON.")

    @Option(help: "How many ticks.") var ticks = 10_000
    @Option(help: "How many subscribers.") var subscribers = 100

    func run() async throws {
        let silence = try await SilentServer.start()
        var configuration = ManagerConfiguration(storage: .inMemory)
        configuration.settings.progressInterval = .zero
        let manager = try await DownloadManager(configuration)
        let download = try await manager.add(
            SilentServer.spec(silence.port, destination: .file(path: "/tmp/haul-bench-ticks")))
        while try await download.state != .running { await Task.yield() }
        var figures = Figures()
        let processor = Figures.processorSeconds()
        figures["seconds"] = await Figures.seconds { await report(manager, download.id) }
        figures["processorSeconds"] = Figures.processorSeconds() - processor
        await manager.close()
        await silence.stop()
        print(figures.json)
    }

    /// Returns when the last subscriber has received the last tick.
    private func report(_ manager: DownloadManager, _ id: DownloadID) async {
        await withTaskGroup(of: Void.self) { tasks in
            for _ in 0..<subscribers {
                tasks.addTask {
                    for await event in manager.events().uncancelled {
                        if case .progress(let progress) = event.kind, progress.fileBytes == Int64(ticks) { return }
                    }
                }
            }
            for tick in 1...ticks {
                manager.inject(.progress(TransferProgress(fileBytes: Int64(tick), sessionBytes: Int64(tick))), of: id)
            }
        }
    }
}

/// A server that accepts connections and sends nothing.
struct SilentServer {
    private let group: MultiThreadedEventLoopGroup
    private let channel: any Channel
    /// The port, on the loopback address.
    let port: Int

    static func start() async throws -> SilentServer {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let channel = try await ServerBootstrap(group: group).bind(host: "127.0.0.1", port: 0).get()
        return SilentServer(group: group, channel: channel, port: channel.localAddress?.port ?? 0)
    }

    /// Returns a spec for a download that waits for the server.
    static func spec(_ port: Int, _ path: String = "", destination: Destination) -> DownloadSpec {
        var spec = DownloadSpec(url: "http://127.0.0.1:\(port)/\(path)", destination: destination)
        spec.idleTimeout = .seconds(3600)
        return spec
    }

    func stop() async {
        try? await channel.close()
        try? await group.shutdownGracefully()
    }
}
