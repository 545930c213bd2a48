import Foundation
import Haul
import HaulCore
import HaulFiles
import HaulTestTraits
import HaulTesting
import Testing

/// The control files beside unfinished files of aria2 and axel.
extension AdoptionTests {
    @Test("control files that are not understood: untouched", arguments: [Left.aria2, .axel])
    func oddControls(left: Left) async throws {
        let control = try #require(left.control)
        for bytes in [[], Array(left.controlBytes.dropLast()), left.controlBytes + [0], [0, 0, 0]] {
            try await Self.isUntouched(
                left, prepare: { try $0.folder.put(bytes, control) }, because: "can't be read")
        }
        try await Self.isUntouched(
            left, prepare: { try $0.folder.put([0], left == .aria2 ? "f.st" : "f.aria2") }, because: "both")
    }

    @Test("a control file that says that nothing is complete: all is downloaded", arguments: [0, 40_000, 12 << 20])
    func nothingComplete(size: Int) async throws {
        let control =
            Left.word(1, 2) + Left.word(0, 8) + Left.word(1 << 20, 4) + Left.word(12 << 20, 8) + Left.word(0, 8)
            + Left.word(2, 4) + [0, 0] + Left.word(0, 4)
        for connections in [1, 4] {
            try await FaultServer.run(["/f": Self.file]) { server in
                try await EngineHarness.run { harness in
                    try harness.folder.put([UInt8](repeating: 0, count: size), "f")
                    try harness.folder.put(control, "f.aria2")
                    _ = try await harness.run(Self.spec(harness, server, connections: connections)).get()
                    #expect(harness.bytes("f") == Self.file.allBytes && harness.names == ["f"])
                }
            }
        }
    }

    @Test("a control file that a killed run left goes with the next one")
    func leftControl() async throws {
        try await FaultServer.run(["/f": Self.file], throttle: 12_000_000) { server in
            try await EngineHarness.run { harness in
                try await harness.interrupt(Self.spec(harness, server), after: 2_000_000, server)
                server.throttle(nil)
                try harness.folder.put(Left.aria2.controlBytes, "f.aria2")
                _ = try await harness.run(Self.spec(harness, server)).get()
                #expect(harness.bytes("f") == Self.file.allBytes && harness.names == ["f"])
            }
        }
    }
}
