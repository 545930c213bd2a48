import Foundation
import Haul
import HaulTestTraits
import HaulTesting
import Testing

@Suite("The manager, whatever happens to it", .usesSockets)
struct ManagerModelTests {
    /// The seeds: 512, or as many as `HAUL_MODEL_COUNT` says, or the one of `HAUL_MODEL_SEED`.
    static let seeds: [UInt64] = {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["HAUL_MODEL_SEED"].flatMap(UInt64.init) { return [seed] }
        return Array(0..<(environment["HAUL_MODEL_COUNT"].flatMap(UInt64.init) ?? 512))
    }()

    @Test("any sequence of commands, faults and ends keeps the guarantees", arguments: seeds)
    func sequence(seed: UInt64) async throws {
        let steps = ModelStep.sequence(seed: seed)
        try await ManagerTrial.run(
            ModelSite.resources, throttle: seed.isMultiple(of: 2) ? 16_000_000 : nil,
            { $0.firstRetryDelay = .milliseconds(1) }
        ) { trial in
            let world = try ModelWorld(trial, seed: seed)
            for step in steps { try await world.perform(step) }
            try await world.settle()
            try await world.end(kill: false)
        }
    }
}
