/// The processor time that the whole process used during a run, other downloads included, and the limits it had.
public struct ProcessorRecord: Hashable, Sendable, Codable {
    /// The processor time in seconds, user and system.
    public var seconds: Double
    /// The elapsed time of the measurement in seconds.
    public var wall: Double
    /// The number of cores that the process may run on: the CPU affinity.
    public var cores: Int
    /// The number of cores of the machine; nil if unknown.
    public var machineCores: Int?
    /// The CPU quota of the process's control group, in cores; nil if there is none.
    public var quota: Double?
    /// The fraction of the quota's periods in which the control group used up its quota, 0 to 1; nil if unknown.
    public var throttled: Double?
    /// The number of seconds for which the busiest thread ran; nil if unknown.
    public var ran: Double?
    /// The number of seconds for which the busiest thread was ready to run and waited for a core; nil if unknown.
    public var waited: Double?

    /// Creates a record.
    public init(seconds: Double, wall: Double, cores: Int) {
        self.seconds = seconds
        self.wall = wall
        self.cores = cores
    }

    /// The fraction used of what the cores and the quota allow, 0 to 1.
    public var share: Double {
        let allowed = min(Double(cores), quota ?? .infinity)
        return wall > 0 && allowed > 0 ? min(1, max(0, seconds / (wall * allowed))) : 0
    }
}

extension ProcessorRecord {
    /// Creates the record of the time between two samples.
    init(from first: ProcessorSample, to last: ProcessorSample, _ limits: ProcessorLimits) {
        self.init(seconds: max(0, last.used - first.used), wall: last.time - first.time, cores: limits.cores)
        machineCores = limits.machineCores
        quota = limits.quota
        if let before = first.periods, let after = last.periods { throttled = after.throttledShare(since: before) }
        if let before = first.busiest, let after = last.busiest {
            (ran, waited) = (after.ran - before.ran, after.waited - before.waited)
        }
    }

    /// The processor limit that the process reached; nil if there is none.
    var limit: LimitingFactor.Cause? {
        guard wall >= 0.2 else { return nil }
        if let quota, quota < Double(cores), share >= 0.85 || throttled ?? 0 >= 0.5 {
            return .processorQuota(quota: quota, used: share, throttled: throttled)
        }
        let machine = max(cores, machineCores ?? cores)
        if share >= 0.85 { return .processor(used: share, cores: cores, machineCores: machine) }
        // Measured (docs/why.md): a thread that slept for longer kept up with the server, even if it often waited for a
        // core.
        guard let ran, let waited, waited >= 0.25 * wall, ran + waited >= 0.85 * wall else { return nil }
        return .processorWait(waited: min(1, waited / wall), cores: cores, machineCores: machine)
    }
}
