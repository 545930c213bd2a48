import HaulCore
import HaulTestData

/// Sequences out of a seed: the same one gives the same steps.
extension ModelStep {
    static let slots = 5

    /// A sequence: downloads are added at first, then anything happens.
    static func sequence(seed: UInt64) -> [ModelStep] {
        var random = SeededGenerator(seed: seed)
        var steps = (0..<slots).filter { _ in Int.random(in: 0..<8, using: &random) > 0 }
            .map { ModelStep(action: .add($0, paused: Int.random(in: 0..<8, using: &random) == 0), waits: true) }
        if Bool.random(using: &random) { steps.shuffle(using: &random) }
        for _ in 0..<Int.random(in: 5...20, using: &random) {
            steps.append(ModelStep(action: .random(&random), waits: Int.random(in: 0..<4, using: &random) > 0))
        }
        return steps
    }
}

extension ModelAction {
    static func random(_ random: inout SeededGenerator) -> ModelAction {
        let slot = Int.random(in: 0..<ModelStep.slots, using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<8: return .add(slot, paused: Int.random(in: 0..<6, using: &random) == 0)
        case 8..<38: return .one(slot, .random(&random))
        case 38..<46:
            return .many(ModelScope.allCases.randomElement(using: &random) ?? .all, .randomForMany(&random))
        case 46..<50:
            return .limit(
                Int.random(in: 1...4, using: &random), ModelOrder.allCases.randomElement(using: &random) ?? .fifo)
        case 50..<64: return .fault(slot, .random(&random))
        case 64..<68: return .heal(slot)
        case 68..<75:
            return .relaunch(kill: Bool.random(using: &random), resumes: Int.random(in: 0..<4, using: &random) > 0)
        case 75..<87: return .bytes(Int64.random(in: 1...400_000, using: &random))
        case 87..<94: return .event
        default: return .turns(Int.random(in: 1...30, using: &random))
        }
    }
}

extension ModelVerb {
    static func random(_ random: inout SeededGenerator) -> ModelVerb {
        switch Int.random(in: 0..<14, using: &random) {
        case 0..<7: return randomForMany(&random)
        case 7..<10: return .replaceSource(ModelSource.allCases.randomElement(using: &random) ?? .original)
        case 10: return .move(Int.random(in: 0...5, using: &random))
        case 11: return .startNow
        case 12: return .retry(fromStart: Bool.random(using: &random))
        default: return .priority(Int.random(in: -3...3, using: &random))
        }
    }

    static func randomForMany(_ random: inout SeededGenerator) -> ModelVerb {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<3: .pause
        case 3..<5: .resume
        case 5..<7: .cancel(keepPartial: Bool.random(using: &random))
        case 7: .remove(RemovedFiles.allCases.randomElement(using: &random) ?? .partial)
        default: .retry(fromStart: Bool.random(using: &random))
        }
    }
}

extension ModelFault {
    static func random(_ random: inout SeededGenerator) -> ModelFault {
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<2: .cut(after: Int64.random(in: 0...300_000, using: &random))
        case 2..<4: .reset(after: Int64.random(in: 0...300_000, using: &random))
        case 4: .status(503)
        case 5: .status(404)
        case 6..<8: .status(403)
        case 8: .noRanges
        case 9: .changed
        case 10: .slow(Int64.random(in: 200_000...2_000_000, using: &random))
        default: .shorter(by: Int64.random(in: 1...50_000, using: &random))
        }
    }
}
