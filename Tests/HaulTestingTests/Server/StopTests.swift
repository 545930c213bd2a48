import HaulTesting
import Testing

#if canImport(Glibc)
    import Foundation

    extension FaultServerTests {
        struct StopTests {
            /// In a process of its own, because other tests open descriptors and threads meanwhile.
            @Test func leavesNoDescriptorAndNoThread() async {
                await #expect(processExitsWith: .success) {
                    _ = try await FaultServer.start([:]).stop()
                    let before = counts()
                    for _ in 0..<20 {
                        let server = try await FaultServer.start([
                            "/f": .file(seed: 1, size: 9_000_000).script(.stall(after: 10))
                        ])
                        let scripts: [ServerScript] = [
                            .silence(), .throttle(10), .normal, .slowHead(.seconds(60)), .delay(.seconds(60)),
                        ]
                        for (index, script) in scripts.enumerated() {
                            server.set("/\(index)", .file(seed: 1, size: 9_000_000).script(script))
                        }
                        let clients = (0..<7).map { _ in RawClient(server.port) }
                        for (index, client) in clients.enumerated() where index < 6 {
                            client.ask(index == 5 ? "/f" : "/\(index)")
                        }
                        try await server.until { $0.requests.count == 6 && $0.connections == 7 }
                        let start = ContinuousClock.now
                        await server.stop()
                        #expect(ContinuousClock.now - start < .seconds(40))
                        withExtendedLifetime(clients) {}
                    }
                    let after = counts()
                    #expect(after[0] == before[0] && after[0] > 0, "descriptors")
                    // Swift's own pool may have grown by a few threads; the 20 servers had 160.
                    #expect(after[1] < before[1] + 8, "threads")
                }
            }

            @Test func stopsTwice() async throws {
                let server = try await FaultServer.start([:])
                await server.stop()
                await server.stop()
                #expect(RawClient(server.port).end == .reset)
            }

            @Test func isStoppedWhateverTheClosureDoes() async throws {
                struct Failure: Error {}
                var port = 0
                await #expect(throws: Failure.self) {
                    try await FaultServer.run([:]) { server in
                        port = server.port
                        throw Failure()
                    }
                }
                #expect(RawClient(port).end == .reset)
            }
        }
    }

    /// How many sockets and pipes, and how many threads, the process has.
    ///
    /// Dispatch opens timers and events whenever it likes.
    private func counts() -> [Int] {
        let files = FileManager.default
        let list: (String) -> [String] = { (try? files.contentsOfDirectory(atPath: $0)) ?? [] }
        let targets = list("/proc/self/fd").map {
            (try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) ?? ""
        }
        return [targets.count { $0.hasPrefix("socket:") || $0.hasPrefix("pipe:") }, list("/proc/self/task").count]
    }
#endif
