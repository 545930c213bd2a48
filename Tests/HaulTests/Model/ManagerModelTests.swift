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
            try await world.finish()
        }
    }

    /// The seeds for the system session: fewer, since its decisions have a test of their own with thousands.
    static let sessionSeeds: [UInt64] = seeds.count == 1 ? seeds : Array(seeds.prefix(seeds.count / 2))

    @Test(
        "so does a manager over the system's transfer service, which goes on between two processes",
        arguments: sessionSeeds)
    func session(seed: UInt64) async throws {
        let steps = ModelStep.sequence(seed: seed)
        try await ManagerTrial.run(
            ModelSite.resources, throttle: seed.isMultiple(of: 2) ? 16_000_000 : nil, session: seed,
            { $0.firstRetryDelay = .milliseconds(1) }
        ) { trial in
            let world = try ModelWorld(trial, seed: seed)
            for step in steps { try await world.perform(step) }
            try await world.settle()
            try await world.finish()
            #expect(trial.session?.taskCount == 0, world.name)
            #expect(try FileManager.default.contentsOfDirectory(atPath: trial.path("session")) == [], world.name)
        }
    }

    /// The seeds for the background.
    static let backgroundSeeds: [UInt64] = seeds.count == 1 ? seeds : Array(seeds.prefix(seeds.count / 10))

    /// The manager in the background promises less (docs/background.md), and this is checked of it.
    ///
    /// - The program may leave before it has heard of an event: each subscriber has heard a beginning of what happened,
    ///   without gaps, and the next program hears the rest. Before most ends, it waits until it has heard all.
    /// - Summary and list are two requests: they are compared when nothing is at work.
    /// - Events are those of the API, which does not say which file it is (`FileIdentity`).
    /// - A command while the daemon ends may fail, and may have been carried out all the same.
    @Test(
        "so does a manager in the background, whose program and daemon end one without the other, or both",
        arguments: backgroundSeeds)
    func background(seed: UInt64) async throws {
        let steps = ModelStep.sequence(seed: seed)
        try await ManagerTrial.run(
            ModelSite.resources, throttle: seed.isMultiple(of: 2) ? 16_000_000 : nil,
            { $0.firstRetryDelay = .milliseconds(1) }
        ) { trial in
            try await ModelProgram.run(trial) { program in
                let world = try ModelWorld(trial, seed: seed, program: program)
                for step in steps { try await world.perform(step) }
                try await world.settle()
                try await world.finish()
            }
        }
    }
}
