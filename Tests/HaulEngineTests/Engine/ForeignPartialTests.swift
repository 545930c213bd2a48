import Foundation
import Haul
import HaulCore
import HaulFiles
import HaulTestTraits
import HaulTesting
import Testing

@Suite("A file under the partial's name that is not Haul's is kept", .usesSockets)
struct ForeignPartialTests {
    static let foreign = [UInt8](repeating: 7, count: 300_000)

    private func reasons(_ harness: EngineHarness) -> [String] {
        harness.events.compactMap { if case .notice(.partialQuarantined(let reason)) = $0 { reason } else { nil } }
    }

    @Test("whatever its size and the file's, also without resuming", arguments: [true, false], [10, 300_000])
    func kept(resumes: Bool, size: Int64) async throws {
        let file = Resource.file(seed: 91, size: size)
        for foreign in [Self.foreign, Array(Self.foreign.prefix(100))] {
            try await FaultServer.run(["/f": file]) { server in
                try await EngineHarness.run { harness in
                    try harness.folder.put(foreign, "f.part")
                    var spec = harness.spec(server.url("/f"))
                    spec.resumes = resumes
                    _ = try await harness.run(spec).get()
                    #expect(harness.bytes("f") == file.allBytes)
                    #expect(harness.bytes("f.part") == foreign)
                    #expect(harness.names == ["f", "f.part"])
                    #expect(reasons(harness).count == 1)
                }
            }
        }
    }

    @Test(
        "files with the alternative names are kept, too",
        arguments: ["f.part", "f.part.haul", "f.part.haul.new"], ["f~2.part", "f~2.part.haul", "f~2.part.haul.new"])
    func bothNames(first: String, second: String) async throws {
        try await FaultServer.run(["/f": .file(seed: 97, size: 3_000_000)]) { server in
            try await EngineHarness.run { harness in
                for name in [first, second] { try harness.folder.put(Self.foreign, name) }
                #expect(await harness.run(harness.spec(server.url("/f"))).code == .destinationBusy)
                #expect(harness.names == [first, second])
                for name in [first, second] { #expect(harness.bytes(name) == Self.foreign) }
            }
        }
    }

    @Test("a download that comes to nothing leaves it where it stands")
    func untouched() async throws {
        try await FaultServer.run([:]) { server in
            try await EngineHarness.run { harness in
                try harness.folder.put(Self.foreign, "f.part")
                #expect(await harness.run(harness.spec(server.url("/f"))).code == .notFound)
                #expect(harness.names == ["f.part"] && harness.bytes("f.part") == Self.foreign)
            }
        }
    }

    @Test("what a killed run left of a small file is gone in the end, without a word")
    func ownBeginning() async throws {
        let file = Resource.file(seed: 92, size: 200_000)
        try await FaultServer.run(["/f": file]) { server in
            try await EngineHarness.run { harness in
                try harness.folder.put(Array(file.allBytes.prefix(70_000)), "f.part")
                try harness.folder.put([], "f.part.haul")
                _ = try await harness.run(harness.spec(server.url("/f"))).get()
                #expect(harness.bytes("f") == file.allBytes && harness.names == ["f"])
                #expect(reasons(harness).isEmpty)
            }
        }
    }

    @Test("a download goes on from the partial with the alternative name")
    func resumed() async throws {
        let file = Resource.file(seed: 94, size: 3_000_000)
        try await FaultServer.run(["/f": file], throttle: 3_000_000) { server in
            try await EngineHarness.run { harness in
                try harness.folder.put(Self.foreign, "f.part")
                try await harness.interrupt(harness.spec(server.url("/f")), after: 500_000, server)
                #expect(harness.names == ["f.part", "f~2.part", "f~2.part.haul"])
                server.throttle(nil)
                let facts = try await harness.run(harness.spec(server.url("/f"))).get()
                #expect(facts.sessionBytes < 2_600_000 && harness.bytes("f") == file.allBytes)
                #expect(harness.names == ["f", "f.part"] && harness.bytes("f.part") == Self.foreign)
            }
        }
    }

    @Test("a finished file whose name is that of another's partial", arguments: [false, true])
    func nameOfAPartial(isPrefix: Bool) async throws {
        let file = Resource.file(seed: 95, size: 300_000)
        let other = isPrefix ? Array(file.allBytes.prefix(1000)) : Self.foreign
        try await FaultServer.run(["/f": file]) { server in
            try await EngineHarness.run { harness in
                try harness.folder.put(other, "f.part")
                _ = try await harness.run(harness.spec(server.url("/f"))).get()
                #expect(harness.bytes("f") == file.allBytes && harness.bytes("f.part") == other)
            }
        }
    }

    @Test("a partial is not replaced by another download's file")
    func isPartial() async throws {
        let file = Resource.file(seed: 96, size: 3_000_000)
        try await FaultServer.run(["/f": file], throttle: 3_000_000) { server in
            try await EngineHarness.run { harness in
                try await harness.interrupt(harness.spec(server.url("/f")), after: 500_000, server)
                server.throttle(nil)
                var spec = harness.spec(server.url("/f"))
                spec.destination = .file(path: harness.path("f.part"))
                spec.onConflict = .replace
                #expect(await harness.run(spec).code == .destinationBusy)
                _ = try await harness.run(harness.spec(server.url("/f"))).get()
                #expect(harness.bytes("f") == file.allBytes)
            }
        }
    }

    @Test("a file in the place of a partial that has a journal")
    func replaced() async throws {
        let file = Resource.file(seed: 93, size: 3_000_000)
        try await FaultServer.run(["/f": file], throttle: 3_000_000) { server in
            try await EngineHarness.run { harness in
                try await harness.interrupt(harness.spec(server.url("/f")), after: 500_000, server)
                server.throttle(nil)
                try FileManager.default.removeItem(atPath: harness.path("f.part"))
                try harness.folder.put(Self.foreign, "f.part")
                _ = try await harness.run(harness.spec(server.url("/f"))).get()
                #expect(harness.bytes("f") == file.allBytes && harness.bytes("f.part") == Self.foreign)
            }
        }
    }
}
