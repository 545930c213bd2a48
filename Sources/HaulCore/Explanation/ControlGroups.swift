/// The control groups of a process that may limit its processor time, see cgroups(7).
package struct ControlGroups: Hashable, Sendable {
    /// The versions of the kernel's interface.
    package enum Version: Hashable, Sendable {
        /// One hierarchy per controller: `cpu.cfs_quota_us`.
        case one
        /// One hierarchy for all: `cpu.max`.
        case two
    }

    /// The version that the processor's controller uses.
    package let version: Version
    /// The directories of the process's group and of its ancestors, innermost first; each may have a quota.
    package let folders: [String]

    /// Finds the groups; nil if the cpu controller is not mounted.
    ///
    /// - Parameters:
    ///   - memberships: The text of `/proc/self/cgroup`.
    ///   - mounts: The text of `/proc/self/mountinfo`.
    package init?(memberships: String, mounts: String) {
        let groups = memberships.split(separator: "\n").compactMap(Membership.init)
        let mounts = MountTable(mounts).mounts
        let first = groups.first { $0.controllers.contains("cpu") }
        let second = groups.first { $0.hierarchy == "0" }
        if let first, let mount = mounts.first(where: { $0.type == "cgroup" && $0.options.contains("cpu") }) {
            (version, folders) = (.one, mount.folders(of: first.path))
        } else if let second, let mount = mounts.first(where: { $0.type == "cgroup2" }) {
            (version, folders) = (.two, mount.folders(of: second.path))
        } else {
            return nil
        }
    }

    /// A line of `cgroup`: the number of a hierarchy, which is 0 in version 2, its controllers, and the group of the process.
    private struct Membership {
        let hierarchy: Substring
        let controllers: [Substring]
        let path: String

        init?(_ line: Substring) {
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { return nil }
            (hierarchy, controllers, path) = (fields[0], fields[1].split(separator: ","), String(fields[2]))
        }
    }
}

extension MountTable.Mount {
    /// Returns the directories of a control group and its ancestors, as far as they are mounted.
    fileprivate func folders(of path: String) -> [String] {
        // In a container that sees its own group as the root, the path can be outside the mount.
        let isInside = root == "/" || path == root || path.hasPrefix(root + "/")
        let parts = isInside ? path.dropFirst(root == "/" ? 0 : root.count).split(separator: "/") : []
        guard !parts.contains("..") else { return [point] }
        return (0...parts.count).reversed().map { point + parts.prefix($0).map { "/" + $0 }.joined() }
    }
}

/// The processor time that a control group may use.
package struct ProcessorQuota: Hashable, Sendable {
    /// The number of cores: 0.5 is half a core.
    package let cores: Double

    /// Parses `cpu.max` of version 2, such as `50000 100000`; nil if there is no quota.
    package init?(max text: String) {
        let fields = text.split(whereSeparator: \.isWhitespace)
        guard fields.count == 2 else { return nil }
        self.init(quota: String(fields[0]), period: String(fields[1]))
    }

    /// Parses `cpu.cfs_quota_us` and `cpu.cfs_period_us` of version 1; nil if there is no quota.
    package init?(quota: String, period: String) {
        let numbers = [quota, period].map { $0.split(whereSeparator: \.isWhitespace).first.flatMap { Int64($0) } ?? 0 }
        guard numbers.allSatisfy({ $0 > 0 }) else { return nil }
        cores = Double(numbers[0]) / Double(numbers[1])
    }
}

/// The number of periods in which a control group ran, and in how many of them it used up its quota.
package struct QuotaPeriods: Hashable, Sendable {
    private let all: Int64
    private let throttled: Int64

    /// Parses `cpu.stat`, which has the same two lines in both versions; nil if they are missing.
    package init?(stat text: String) {
        var numbers: [Substring: Int64] = [:]
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ")
            if fields.count == 2 { numbers[fields[0]] = Int64(fields[1]) }
        }
        guard let all = numbers["nr_periods"], let throttled = numbers["nr_throttled"], all >= 0, throttled >= 0 else {
            return nil
        }
        (self.all, self.throttled) = (all, throttled)
    }

    /// Returns the fraction of the periods since an earlier sample in which the quota was used up, 0 to 1.
    func throttledShare(since before: QuotaPeriods) -> Double {
        guard all > before.all else { return 0 }
        return min(1, max(0, Double(throttled - before.throttled) / Double(all - before.all)))
    }
}
