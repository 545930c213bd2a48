import HaulCore
import HaulTestData
import Testing

struct SchedulerModelTests {
    /// All rules with a limit of two or none; the random calls know more of them.
    private static let configurations = rules(limits: [2, nil])

    private static func rules(limits: [Int?]) -> [SchedulerConfiguration] {
        limits.flatMap { limit in
            QueueOrder.allCases.flatMap { order in
                [1, 2, nil].map { SchedulerConfiguration(limit: limit, order: order, hostLimit: $0) }
            }
        }
    }

    /// Four downloads each that bring one another into all situations of one kind.
    static let casts: [[QueueEntry]] = [
        // One host of three, so that limits of hosts bite.
        [entry(1), entry(2), entry(3), entry(4, host: 1)],
        // Priorities, the interrupted and equal positions.
        [entry(1), entry(2, priority: 1), entry(3, goesFirst: true), entry(4, position: 1, host: 1)],
        // Times.
        [entry(1), entry(2, notBefore: 10), entry(3, host: 1, notBefore: 20), entry(4, notBefore: 20)],
        // Those that ignore limits, with and without a time.
        [entry(1), entry(2), entry(3, ignoresLimits: true), entry(4, notBefore: 10, ignoresLimits: true)],
    ]

    private static func entry(
        _ id: Int64, position: Int64? = nil, host: Int32 = 0, priority: Int16 = 0, notBefore: Int64 = 0,
        ignoresLimits: Bool = false, goesFirst: Bool = false
    ) -> QueueEntry {
        QueueEntry(
            id: DownloadID(rawValue: id), position: position ?? id, priority: priority, host: host,
            notBefore: notBefore, ignoresLimits: ignoresLimits, goesFirst: goesFirst)
    }

    /// Every call in every state that calls can lead to: each download absent, waiting or running, under all rules.
    @Test(arguments: casts) func everyCallInEveryStateGivesTheAnswerOfTheModel(cast: [QueueEntry]) {
        let times: [Int64] = cast.contains { $0.notBefore != 0 } ? [0, 10, 25] : [0]
        let steps = Self.steps(of: cast, at: times)
        var seen: Set<State> = [State(model: QueueModel(), time: 0)]
        var open = [(Scheduler(), State(model: QueueModel(), time: 0))]
        while let (scheduler, state) = open.popLast() {
            for step in steps {
                var (scheduler, state) = (scheduler, state)
                let isSame = step.apply(to: &scheduler, and: &state.model)
                guard isSame, state.model.agrees(with: scheduler, about: cast.map(\.id), at: times) else {
                    Issue.record("\(step) leads to \(state.model)")
                    return
                }
                if case .next(let now) = step { state.time = now }
                if seen.insert(state).inserted { open.append((scheduler, state)) }
            }
        }
        // Nothing is out of reach: three states of each download, under all rules.
        #expect(seen.count >= 81 * Self.configurations.count)
    }

    private struct State: Hashable {
        var model: QueueModel
        var time: Int64
    }

    private static func steps(of cast: [QueueEntry], at times: [Int64]) -> [QueueStep] {
        cast.flatMap { [.add($0), .remove($0.id), .ended($0.id)] as [QueueStep] }
            + times.map { .next(now: $0) } + configurations.map { .configure($0) }
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>) func thousandsOfRandomCallsGiveTheAnswersOfTheModel(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var (scheduler, model) = (Scheduler(), QueueModel())
        var now: Int64 = 1000
        for count in 0..<3000 {
            // Now and then the clock is set back.
            now += Int64.random(in: count.isMultiple(of: 50) ? -200...0 : 0...4, using: &random)
            let step = Self.step(at: now, among: model, using: &random)
            let isSame = step.apply(to: &scheduler, and: &model)
            let asked = (0..<4).map { _ in DownloadID(rawValue: .random(in: 1...40, using: &random)) }
            guard isSame, model.agrees(with: scheduler, about: asked, at: [now]) else {
                Issue.record("call \(count), \(step), leads to \(model)")
                return
            }
        }
    }

    private static func step(
        at now: Int64, among model: QueueModel, using random: inout SeededGenerator
    ) -> QueueStep {
        let id = DownloadID(rawValue: .random(in: 1...40, using: &random))
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<40:
            return .add(
                QueueEntry(
                    id: id, position: .random(in: -20...20, using: &random),
                    priority: .random(in: -1...1, using: &random), host: .random(in: -2...2, using: &random),
                    notBefore: Bool.random(using: &random) ? 0 : now + .random(in: -50...50, using: &random),
                    ignoresLimits: Int.random(in: 0..<10, using: &random) == 0,
                    goesFirst: Int.random(in: 0..<10, using: &random) == 0))
        case 40..<48: return .remove(id)
        case 48..<78: return .next(now: now)
        case 78..<96: return .ended(model.running.randomElement(using: &random)?.id ?? id)
        default: return .configure(rules(limits: [0, 1, 2, 5, nil]).randomElement(using: &random) ?? .init())
        }
    }
}
