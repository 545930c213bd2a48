import Foundation
import Haul
import HaulCore
import HaulFiles
import HaulTesting
import Testing

@Suite("A file under the partial's name that is not Haul's is kept", .usesSockets)
struct ForeignPartialTests {
    static let foreign = [UInt8](repeating: 7, count: 300_000)

    private func reasons(_ mine: Trial) -> [String] {
        mine.events.compactMap { if case .notice(.partialSetAside(let reason)) = $0 { reason } else { nil } }
    }

    @Test("whatever its size and the file's, also without resuming", arguments: [true, false], [10, 300_000])
    func kept(resumes: Bool, size: Int64) async throws {
        let file = Resource.file(seed: 91, size: size)
        for foreign in [Self.foreign, Array(Self.foreign.prefix(100))] {
            try await FaultServer.run(["/f": file]) { server in
                try await Trial.run { mine in
                    try mine.folder.put(foreign, "f.part")
                    var spec = mine.spec(server.url("/f"))
                    spec.resumes = resumes
                    _ = try await mine.run(spec).get()
                    #expect(mine.bytes("f") == file.allBytes)
                    #expect(mine.bytes("f.part.bad") == foreign)
                    #expect(mine.names == ["f", "f.part.bad"])
                    let told = reasons(mine)
                    #expect(told.count == 1 && told.first?.hasSuffix("kept as \(mine.path("f.part.bad"))") == true)
                }
            }
        }
    }

    @Test("a download that comes to nothing leaves it where it stands")
    func untouched() async throws {
        try await FaultServer.run([:]) { server in
            try await Trial.run { mine in
                try mine.folder.put(Self.foreign, "f.part")
                #expect(await mine.run(mine.spec(server.url("/f"))).code == .notFound)
                #expect(mine.names == ["f.part"] && mine.bytes("f.part") == Self.foreign)
            }
        }
    }

    @Test("what a killed run left of a small file is gone in the end, without a word")
    func ownBeginning() async throws {
        let file = Resource.file(seed: 92, size: 200_000)
        try await FaultServer.run(["/f": file]) { server in
            try await Trial.run { mine in
                try mine.folder.put(Array(file.allBytes.prefix(70_000)), "f.part")
                _ = try await mine.run(mine.spec(server.url("/f"))).get()
                #expect(mine.bytes("f") == file.allBytes && mine.names == ["f"])
                #expect(reasons(mine).isEmpty)
            }
        }
    }

    @Test("a file in the place of a partial that has a journal")
    func replaced() async throws {
        let file = Resource.file(seed: 93, size: 3_000_000)
        try await FaultServer.run(["/f": file], throttle: 3_000_000) { server in
            try await Trial.run { mine in
                try await mine.interrupt(mine.spec(server.url("/f")), after: 500_000, server)
                server.throttle(nil)
                try FileManager.default.removeItem(atPath: mine.path("f.part"))
                try mine.folder.put(Self.foreign, "f.part")
                _ = try await mine.run(mine.spec(server.url("/f"))).get()
                #expect(mine.bytes("f") == file.allBytes && mine.bytes("f.part.bad") == Self.foreign)
            }
        }
    }
}
