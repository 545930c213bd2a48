import CHaulSystem
import HaulCore
import HaulLibC
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Measures the processor use of this process, for all runs together.
///
/// The limits are read once. The kernel's files are read at most five times a second, however many downloads run.
final class ProcessorMeter: Sendable {
    static let shared = ProcessorMeter()

    private struct State: Sendable {
        var busiest = BusiestThread()
        var last: ProcessorSample?
    }

    /// The limits on the processor use of this process.
    let limits: ProcessorLimits
    /// The `cpu.stat` of the control group with the smallest quota; nil if there is no quota.
    private let statistics: String?
    private let state = Mutex(State())
    private let start = ContinuousClock.now

    private static let interval = 0.2

    private init() {
        let cores = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        let quota = Self.quota()
        let allowed = Int(haul_allowed_cores())
        limits = ProcessorLimits(
            cores: allowed > 0 ? min(cores, allowed) : cores, machineCores: cores, quota: quota?.cores)
        statistics = quota.map { $0.folder + "/cpu.stat" }
    }

    /// Returns the newest sample, at most a fifth of a second old; nil if the system provides none.
    func sample() -> ProcessorSample? {
        state.withLock { state in
            let time = (ContinuousClock.now - start).seconds
            if let last = state.last, time - last.time < Self.interval { return last }
            guard let used = Self.processorSeconds() else { return nil }
            let threads = Self.threads()
            state.busiest.add(threads)
            state.last = ProcessorSample(
                time: time, used: used, busiest: threads.isEmpty ? nil : state.busiest.times,
                periods: statistics.flatMap(Self.text).flatMap { QuotaPeriods(stat: $0) })
            return state.last
        }
    }

    /// Returns the user and system time of this process: getrusage(2).
    private static func processorSeconds() -> Double? {
        var usage = rusage()
        #if canImport(Glibc)
            let who = RUSAGE_SELF.rawValue
        #else
            let who = RUSAGE_SELF
        #endif
        // Unsafe: the kernel writes one `rusage`, which outlives the call.
        guard unsafe getrusage(numericCast(who), &usage) == 0 else { return nil }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }

    /// Returns the smallest quota of the control groups of this process, and the folder of that group.
    private static func quota() -> (cores: Double, folder: String)? {
        guard let memberships = text("/proc/self/cgroup"), let mounts = text("/proc/self/mountinfo"),
            let groups = ControlGroups(memberships: memberships, mounts: mounts)
        else { return nil }
        return groups.folders.compactMap { folder in quota(in: folder, groups.version).map { ($0.cores, folder) } }
            .min { $0.0 < $1.0 }
    }

    private static func quota(in folder: String, _ version: ControlGroups.Version) -> ProcessorQuota? {
        switch version {
        case .two: return text(folder + "/cpu.max").flatMap { ProcessorQuota(max: $0) }
        case .one:
            guard let quota = text(folder + "/cpu.cfs_quota_us"), let period = text(folder + "/cpu.cfs_period_us")
            else {
                return nil
            }
            return ProcessorQuota(quota: quota, period: period)
        }
    }

    /// Returns the times of each thread; empty if the kernel does not count them.
    private static func threads() -> [String: ThreadTimes] {
        let folder = "/proc/self/task"
        let ids = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        var threads: [String: ThreadTimes] = [:]
        for id in ids { threads[id] = text("\(folder)/\(id)/schedstat").flatMap { ThreadTimes(schedstat: $0) } }
        return threads
    }

    private static func text(_ path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }
}
