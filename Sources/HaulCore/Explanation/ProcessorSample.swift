/// What the kernel says of a process and its threads at one moment; all counts only grow.
package struct ProcessorSample: Hashable, Sendable {
    /// Seconds on a clock that never goes back.
    package var time: Double
    /// Processor time of the process in seconds, user and system.
    package var used: Double
    /// The times of whichever thread was the busiest, summed up over all samples; nil if unknown.
    package var busiest: ThreadTimes?
    /// The periods of the CPU quota; nil if there is no quota.
    package var periods: QuotaPeriods?

    /// Makes a sample.
    package init(time: Double, used: Double, busiest: ThreadTimes? = nil, periods: QuotaPeriods? = nil) {
        (self.time, self.used, self.busiest, self.periods) = (time, used, busiest, periods)
    }
}

/// What a process may use of the processor.
package struct ProcessorLimits: Hashable, Sendable {
    /// The number of cores that it may run on.
    package var cores: Int
    /// The number of cores of the machine.
    package var machineCores: Int
    /// The CPU quota of its control group, in cores; nil if there is none.
    package var quota: Double?

    /// Makes limits.
    package init(cores: Int, machineCores: Int, quota: Double? = nil) {
        (self.cores, self.machineCores, self.quota) = (cores, machineCores, quota)
    }
}

/// How long a thread ran, and how long it waited for a core: seconds.
package struct ThreadTimes: Hashable, Sendable {
    /// Seconds for which it ran.
    package var ran = 0.0
    /// Seconds for which it was ready to run and waited for a core.
    package var waited = 0.0

    /// Makes times of nothing.
    package init() {}

    /// Reads `/proc/PID/task/TID/schedstat`: nanoseconds on a core, nanoseconds of waiting for one, number of time slices.
    package init?(schedstat text: String) {
        let fields = text.split(whereSeparator: \.isWhitespace).map { UInt64($0) }
        guard fields.count >= 2, let ran = fields[0], let waited = fields[1] else { return nil }
        (self.ran, self.waited) = (Double(ran) / 1e9, Double(waited) / 1e9)
    }

    /// Both.
    var total: Double { ran + waited }
}

/// Sums up how long the busiest thread of each stretch of time ran and waited.
package struct BusiestThread: Sendable {
    private var last: [String: ThreadTimes]?
    /// The sum.
    package private(set) var times = ThreadTimes()

    /// Makes a sum of nothing.
    package init() {}

    /// Takes the times of all threads of now, by the threads' numbers.
    package mutating func add(_ threads: [String: ThreadTimes]) {
        defer { last = threads }
        guard let last else { return }
        var busiest = ThreadTimes()
        for (id, now) in threads {
            var passed = now
            // A number may belong to a new thread.
            if let before = last[id], before.ran <= now.ran, before.waited <= now.waited {
                passed.ran -= before.ran
                passed.waited -= before.waited
            }
            if passed.total > busiest.total { busiest = passed }
        }
        times.ran += busiest.ran
        times.waited += busiest.waited
    }
}
