import Foundation
import HaulCore
import HaulTesting
import HaulWire
import Testing

@testable import HaulClient

@Suite("A command that takes its time")
struct DaemonDelayTests {
    @Test("is not reported as a daemon that does not respond")
    func delay() async throws {
        let ready = ReadyMessage(
            version: "1.0.0",
            obstacles: [ReadyMessage.Obstacle(code: .fileFailed, message: "the disk at /mnt does not respond")])
        let resources = [
            APIPath.ready: Resource.bytes(Array(try WireJSON.encode(ready))),
            APIPath.info: Resource.text("{}").script(.silence()),
        ]
        try await FaultServer.run(resources) { server in
            let (reports, continuation) = AsyncStream<[String]>.makeStream()
            let client = DaemonClient(
                .tcp(host: "127.0.0.1", port: server.port, token: .text("t")), silence: .milliseconds(10),
                onSilence: { _ in continuation.yield(["no response"]) }, onDelay: { continuation.yield($0) })
            let asking = Task { try await client.info() }
            for await report in reports {
                #expect(report == ["the disk at /mnt does not respond"])
                break
            }
            asking.cancel()
            _ = await asking.result
            await client.close()
        }
    }
}
