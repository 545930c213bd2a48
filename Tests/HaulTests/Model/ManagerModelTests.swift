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

    /// Runs `body` with the server of a seed.
    private static func trial(
        _ seed: UInt64, session: UInt64? = nil, _ body: (ManagerTrial) async throws -> Void
    ) async throws {
        try await ManagerTrial.run(
            ModelSite.resources, throttle: seed.isMultiple(of: 2) ? 16_000_000 : nil, session: session,
            { $0.firstRetryDelay = .milliseconds(1) }, body)
    }

    /// Does the steps of a seed, and brings all to a good end.
    private static func play(_ world: ModelWorld, _ seed: UInt64) async throws {
        for step in ModelStep.sequence(seed: seed) { try await world.perform(step) }
        try await world.settle()
        try await world.finish()
    }

    @Test("any sequence of commands, faults and ends keeps the guarantees", arguments: seeds)
    func sequence(seed: UInt64) async throws {
        try await Self.trial(seed) { trial in try await Self.play(try ModelWorld(trial, seed: seed), seed) }
    }

    /// The seeds for the system session: fewer, since its decisions have a test of their own with thousands.
    static let sessionSeeds: [UInt64] = seeds.count == 1 ? seeds : Array(seeds.prefix(seeds.count / 2))

    @Test(
        "so does a manager over the system's transfer service, which goes on between two processes",
        arguments: sessionSeeds)
    func session(seed: UInt64) async throws {
        try await Self.trial(seed, session: seed) { trial in
            let world = try ModelWorld(trial, seed: seed)
            try await Self.play(world, seed)
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
        try await Self.trial(seed) { trial in
            try await ModelProgram.run(trial) { program in
                try await Self.play(try ModelWorld(trial, seed: seed, program: program), seed)
            }
        }
    }
}
