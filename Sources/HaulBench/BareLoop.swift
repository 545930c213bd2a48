import ArgumentParser
import AsyncHTTPClient
import HaulFiles
import NIOCore
import NIOHTTP1
import NIOPosix

/// The reference for benchmark B1: only AsyncHTTPClient, configured as in Haul, and a write per chunk.
///
/// It has no journal, validators, retries or progress: the speed that a program could reach if speed were its only aim.
struct BareLoop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "loop", abstract: "Downloads a file over some ranges with a bare AsyncHTTPClient loop.")

    @Option(help: "How many ranges, each over a connection of its own.") var connections = 4
    @Argument(help: "The size of the file in bytes.") var size: Int64
    @Argument(help: "Where it comes from.") var url: String
    @Argument(help: "Where it goes.") var path: String

    func run() async throws {
        let file = try SystemCalls.live.open(path, .create)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        let client = HTTPClient(eventLoopGroupProvider: .shared(group), configuration: Self.clientConfiguration)
        let share = (size + Int64(connections) - 1) / Int64(connections)
        let tasks = try (0..<Int64(connections)).map { index in
            let range = index * share..<min(size, (index + 1) * share)
            var request = try HTTPClient.Request(url: url)
            request.headers.add(name: "Range", value: "bytes=\(range.lowerBound)-\(range.upperBound - 1)")
            return client.execute(request: request, delegate: RangeWriter(file, at: range.lowerBound))
        }
        var written: Int64 = 0
        for task in tasks { written += try await task.futureResult.get() }
        guard written == size else { throw ValidationError("\(written) of \(size) bytes came") }
        try await client.shutdown()
        try await group.shutdownGracefully()
    }

    private static var clientConfiguration: HTTPClient.Configuration {
        var result = HTTPClient.Configuration()
        result.httpVersion = .http1Only
        result.http1_1ConnectionDebugInitializer = { channel in
            channel.eventLoop.submit {
                let large = FixedSizeRecvByteBufferAllocator(capacity: 1 << 20)
                try channel.syncOptions?.setOption(.recvAllocator, value: large)
                try channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
            }
        }
        return result
    }
}
