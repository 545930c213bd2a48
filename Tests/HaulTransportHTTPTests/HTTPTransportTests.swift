import Foundation
import HaulTransport
import HaulTransportHTTP
import Testing

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

    @Test func detailsHoldNothingOfTheURL() async throws {
        let transport = try HTTPTransport()
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

    #if os(Linux)
        /// Other tests run meanwhile and hold some; a leak would show twice per cycle.
        @Test func shutdownGivesBackThreadsAndDescriptors() async throws {
            func count(_ folder: String) throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: folder).count
            }
            let descriptors = try count("/proc/self/fd")
            let threads = try count("/proc/self/task")
            for _ in 0..<200 {
                let transport = try HTTPTransport(HTTPTransportConfiguration(eventLoops: 2))
                #expect(await transport.fetch("http://127.0.0.1:1/").outcome?.failure == .refused)
                await transport.shutdown()
            }
            #expect(try count("/proc/self/fd") < descriptors + 300)
            #expect(try count("/proc/self/task") < threads + 300)
        }
    #endif
}
