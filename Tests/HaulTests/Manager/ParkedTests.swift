import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Downloads of a manager that wait for their next attempt", .usesSockets)
struct ParkedTests {
    static let file = Resource.file(seed: 65, size: 300_000)

    @Test("downloads that wait for their next attempt let the others go first, and continue afterwards")
    func parked() async throws {
        var files = Dictionary(uniqueKeysWithValues: (0..<4).map { ("/good\($0)", Self.file) })
        for number in 0..<12 {
            files["/busy\(number)"] = Self.file.script { _ in .status(503, ["Retry-After": "3600"]) }
        }
        try await ManagerTrial.run(files, { $0.settings.limit = 3 }) { harness in
            let busy = try await harness.add((0..<12).map { harness.spec("/busy\($0)") })
            let good = try await harness.add((0..<4).map { harness.spec("/good\($0)") })
            for (number, download) in good.enumerated() {
                _ = try await download.finished()
                #expect(harness.bytes("good\(number)") == Self.file.allBytes)
            }
            for download in busy {
                #expect(try await download.state == .waiting(.serverAsked(status: 503)))
                try await download.cancel()
            }
        }
    }

    @Test("a parked download continues when its time has come", arguments: [1, 3])
    func returning(limit: Int) async throws {
        var files: [String: Resource] = [:]
        for number in 0..<6 {
            files["/\(number)"] = Self.file.script { $0.number == 1 ? .status(503, ["Retry-After": "1"]) : .normal }
        }
        try await ManagerTrial.run(files, { $0.settings.limit = limit }) { harness in
            let all = try await harness.add((0..<6).map { harness.spec("/\($0)") })
            for (number, download) in all.enumerated() {
                _ = try await download.finished()
                #expect(harness.bytes("\(number)") == Self.file.allBytes)
            }
        }
    }
}
