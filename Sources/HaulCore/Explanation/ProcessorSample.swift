/// The kernel's counters of a process and its threads at one moment; they only increase.
package struct ProcessorSample: Hashable, Sendable {
    /// The time in seconds on a monotonic clock.
    package var time: Double
    /// Processor time of the process in seconds, user and system.
    package var used: Double
    /// The times of the busiest thread of each interval, summed over all samples; nil if unknown.
    package var busiest: ThreadTimes?
    /// The periods of the CPU quota; nil if there is no quota.
    package var periods: QuotaPeriods?

    /// Creates a sample.
    package init(time: Double, used: Double, busiest: ThreadTimes? = nil, periods: QuotaPeriods? = nil) {
        (self.time, self.used, self.busiest, self.periods) = (time, used, busiest, periods)
    }
}

/// The processor limits of a process.
package struct ProcessorLimits: Hashable, Sendable {
    /// The number of cores that it may run on.
    package var cores: Int
    /// The number of cores of the machine.
    package var machineCores: Int
    /// The CPU quota of its control group, in cores; nil if there is none.
    package var quota: Double?

    /// Creates limits.
    package init(cores: Int, machineCores: Int, quota: Double? = nil) {
        (self.cores, self.machineCores, self.quota) = (cores, machineCores, quota)
    }
}

/// The time for which a thread ran, and for which it waited for a core, in seconds.
package struct ThreadTimes: Hashable, Sendable {
    /// The number of seconds for which it ran.
    package var ran = 0.0
    /// The number of seconds for which it was ready to run and waited for a core.
    package var waited = 0.0

    /// Creates times of zero.
    package init() {}

    /// Parses `/proc/PID/task/TID/schedstat`: nanoseconds on a core, nanoseconds of waiting for one, number of time
    /// slices.
    package init?(schedstat text: String) {
        let fields = text.split(whereSeparator: \.isWhitespace).map { UInt64($0) }
        guard fields.count >= 2, let ran = fields[0], let waited = fields[1] else { return nil }
        (self.ran, self.waited) = (Double(ran) / 1e9, Double(waited) / 1e9)
    }

    /// The sum of both.
    var total: Double { ran + waited }
}

/// Sums up the times of the busiest thread of each interval.
package struct BusiestThread: Sendable {
    private var last: [String: ThreadTimes]?
    /// The sum so far.
    package private(set) var times = ThreadTimes()

    /// Creates an empty sum.
    package init() {}

    /// Adds the current times of all threads, by thread ID.
    package mutating func add(_ threads: [String: ThreadTimes]) {
        defer { last = threads }
        guard let last else { return }
        var busiest = ThreadTimes()
        for (id, now) in threads {
            var passed = now
            // A thread ID may have been reused by a new thread.
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
