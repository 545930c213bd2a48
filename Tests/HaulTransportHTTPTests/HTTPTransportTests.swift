import Foundation
import HaulCore
import HaulTransport
import HaulTransportHTTP
import Testing

@testable import HaulTesting

@Suite struct HTTPTransportTests {
    @Test func startAfterShutdownIsCancelled() async throws {
        let transport = try HTTPTransport()
        await transport.shutdown()
        await transport.shutdown()
        #expect(await transport.fetch("http://127.0.0.1:1/").outcome == .cancelled)
    }

    @Test func configurationHasLowerBounds() {
        let configuration = HTTPTransportConfiguration(eventLoops: -1, receiveBufferBytes: 0)
        #expect(configuration.eventLoops == 1)
        #expect(configuration.receiveBufferBytes == 4096)
    }

    @Test(arguments: [false, true]) func detailsHoldNothingOfTheURL(usesDirectConnections: Bool) async throws {
        let transport = try HTTPTransport(HTTPTransportConfiguration(usesDirectConnections: usesDirectConnections))
        let hosts = [
            "http://127.0.0.1:1", "https://127.0.0.1:1", "http://secret.invalid", "http://u:secret@h", "secret://h",
            "http://h:1/ ",
        ]
        for host in hosts {
            guard case .failed(let error) = await transport.fetch(host + "/secret?secret=secret").outcome else {
                Issue.record("\(host) did not fail")
                continue
            }
            #expect(!error.detail.contains("secret"), "\(error)")
        }
        await transport.shutdown()
    }

    @Test(
        "a server of another protocol that keeps silent after its greeting is not waited for",
        arguments: [false, true])
    func greetings(usesDirectConnections: Bool) async throws {
        for (greeting, reason) in [
            ("SSH-2.0-OpenSSH_9.2\r\n", .serverWithoutHTTP), ("220 mail ESMTP", .serverWithoutHTTP),
            ("\u{15}\u{3}\u{1}\u{0}\u{2}", .serverWithTLS),
        ] as [(String, DownloadError.Detail)] {
            try await TransportConformanceServer.run { connection in
                try await connection.send(greeting)
                while try await connection.request() != nil {}
            } body: { server in
                let transport = try HTTPTransport(
                    HTTPTransportConfiguration(usesDirectConnections: usesDirectConnections))
                guard case .failed(let error) = await transport.fetch(server.url()).outcome else {
                    return #expect(Bool(false))
                }
                #expect(error.kind == .badResponse && error.reason == reason, "\(error)")
                await transport.shutdown()
            }
        }
    }

    #if os(Linux)
        /// In a process of its own: other tests hold threads and descriptors, too.
        @Test func shutdownGivesBackThreadsAndDescriptors() async {
            await #expect(processExitsWith: .success) {
                func count(_ folder: String) -> Int {
                    (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? -1
                }
                func cycle(_ number: Int = 0) async throws {
                    let transport = try HTTPTransport(
                        HTTPTransportConfiguration(eventLoops: 2, usesDirectConnections: number % 2 == 0))
                    guard await transport.fetch("http://127.0.0.1:1/").outcome?.failure == .refused else { exit(2) }
                    await transport.shutdown()
                }
                // The first ones open what is kept for all.
                for number in 0..<4 { try await cycle(number) }
                let before = (count("/proc/self/fd"), count("/proc/self/task"))
                for number in 0..<20 { try await cycle(number) }
                guard count("/proc/self/fd") < before.0 + 20 else { exit(3) }
                // The system may still be about to end some thread.
                for _ in 0..<10_000 where count("/proc/self/task") >= before.1 + 20 { await Task.yield() }
                guard count("/proc/self/task") < before.1 + 20 else { exit(4) }
            }
        }

        /// In a process of its own: other tests have event loops, too.
        @Test("an event loop is started when it is needed, and not without files for it")
        func lazyLoops() async {
            await #expect(processExitsWith: .success) {
                func eventLoops(_ transport: HTTPTransport, _ count: Int) -> Int {
                    Set((0..<count).compactMap { _ in transport.eventLoopExecutor().map { ObjectIdentifier($0) } })
                        .count
                }
                let transport = try HTTPTransport(HTTPTransportConfiguration(eventLoops: 3))
                guard eventLoops(transport, 1) == 1, eventLoops(transport, 6) == 3 else { exit(2) }
                let other = try HTTPTransport(HTTPTransportConfiguration(eventLoops: 3))
                guard eventLoops(other, 1) == 1 else { exit(3) }
                // Unsafe: the path is a literal.
                while unsafe open("/dev/null", O_RDONLY) >= 0 {}
                guard eventLoops(other, 6) == 1 else { exit(4) }
            }
        }

        /// In a process of its own: other tests have event loops, too.
        @Test("Before the end of the process, only a transport that has used TLS ends its threads")
        func endOfProcess() async {
            await #expect(processExitsWith: .success) {
                func eventLoops() -> Int {
                    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
                    let names = tasks.compactMap {
                        try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)
                    }
                    return names.count { $0.hasPrefix("NIO-ELT") }
                }
                var configuration = HTTPTransportConfiguration(eventLoops: 2)
                configuration.endsWithProcess = true
                let (plain, secure) = (try HTTPTransport(configuration), try HTTPTransport(configuration))
                guard eventLoops() == 0 else { exit(2) }
                guard await plain.fetch("http://127.0.0.1:1/").outcome?.failure == .refused else { exit(3) }
                guard await secure.fetch("https://127.0.0.1:1/").outcome?.failure == .refused else { exit(4) }
                await plain.shutdown()
                guard await plain.fetch("http://127.0.0.1:1/").outcome == .cancelled, eventLoops() == 2 else { exit(5) }
                await secure.shutdown()
                // The system may still be about to end some thread.
                for _ in 0..<10_000 where eventLoops() > 1 { await Task.yield() }
                guard eventLoops() == 1 else { exit(6) }
            }
        }
    #endif
}
