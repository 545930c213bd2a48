/// One of the equal parts of a manifest that are fetched independently of each other.
package struct Shard: Hashable, Sendable {
    /// The number of the shard, from 0.
    package let index: Int
    /// The number of shards.
    package let count: Int

    /// The largest number of shards.
    package static let maxCount = 100_000
    /// The whole manifest.
    package static let whole = Shard(unchecked: 0, of: 1)

    private init(unchecked index: Int, of count: Int) { (self.index, self.count) = (index, count) }

    /// Creates a shard; nil if the number is out of range.
    package init?(_ index: Int, of count: Int) {
        guard (1...Self.maxCount).contains(count), (0..<count).contains(index) else { return nil }
        self.init(unchecked: index, of: count)
    }

    /// A choice that is not valid, with what to write instead.
    package struct Fault: Error, Hashable, Sendable {
        /// A sentence without a capital.
        package let message: String
    }

    /// Reads `I/N`, `auto` or `auto/N`.
    ///
    /// - Parameter environment: The variables of the process, for `auto`.
    package init(parsing text: String, environment: [String: String]) throws(Fault) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        let count = parts.count == 2 ? Int(parts[1]) : nil
        if parts[0] == "auto", parts.count == 1 || count != nil {
            self = try Self.detected(environment, count: count)
            return
        }
        guard parts.count == 2, let index = Int(parts[0]), let count, let shard = Shard(index, of: count) else {
            throw Fault(
                message: "invalid value \"\(text)\": write I/N with I from 0 to N-1, such as 0/4, or auto, or auto/N")
        }
        self = shard
    }
}

// MARK: - Job systems

extension Shard {
    /// The variables of a job system.
    private struct System {
        var name: String
        var index: String
        /// The variables of the first index and of the step between two.
        var first: String?
        var step: String?
        /// The first index if there is no variable for it.
        var base = 0
        var count: String?
    }

    private static let systems = [
        System(
            name: "Slurm", index: "SLURM_ARRAY_TASK_ID", first: "SLURM_ARRAY_TASK_MIN", step: "SLURM_ARRAY_TASK_STEP",
            count: "SLURM_ARRAY_TASK_COUNT"),
        System(name: "AWS Batch", index: "AWS_BATCH_JOB_ARRAY_INDEX", count: "AWS_BATCH_JOB_ARRAY_SIZE"),
        System(name: "Kubernetes", index: "JOB_COMPLETION_INDEX", count: "JOB_COMPLETIONS"),
        // GNU parallel counts from 1 and does not pass on the number of jobs.
        System(name: "GNU parallel", index: "PARALLEL_SEQ", base: 1),
    ]

    /// Returns the shard that the job system of the process has assigned to it.
    private static func detected(_ environment: [String: String], count given: Int?) throws(Fault) -> Shard {
        func number(_ name: String?) throws(Fault) -> Int? {
            guard let name, let text = environment[name], !text.isEmpty else { return nil }
            guard let number = Int(text) else { throw Fault(message: "\(name) is not a number") }
            return number
        }
        for system in systems {
            guard let index = try number(system.index) else { continue }
            let total = try number(system.count)
            guard let count = given ?? total else {
                throw Fault(
                    message: "\(system.name) does not pass on the number of shards: write auto/N with their number")
            }
            let step = max(1, try number(system.step) ?? 1)
            let first = try number(system.first) ?? system.base
            let (distance, isTooLarge) = index.subtractingReportingOverflow(first)
            guard !isTooLarge, distance % step == 0, let shard = Shard(distance / step, of: count) else {
                throw Fault(message: "\(system.index)=\(index) is not one of \(count) shards")
            }
            return shard
        }
        let names = systems.map(\.index).joined(separator: ", ")
        throw Fault(message: "no job system found (\(names)): write I/N")
    }
}
