import HaulCore
import Testing

@Suite("The kernel's files about the processor")
struct ControlGroupsTests {
    private static let hybrid = """
        31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
        32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct
        34 31 0:31 / /sys/fs/cgroup/cpuset rw,relatime - cgroup cgroup rw,cpuset
        41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
        """
    private static let unified =
        "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 master:1 - cgroup2 cgroup2 rw,nsdelegate"

    @Test("version 1 is used where it has the processor's controller")
    func versionOne() throws {
        let memberships = "9:name=systemd:/\n3:cpuset:/\n2:cpu,cpuacct:/user.slice/a b\n0::/user.slice/x.scope\n"
        let groups = try #require(ControlGroups(memberships: memberships, mounts: Self.hybrid))
        #expect(groups.version == .one)
        let mount = "/sys/fs/cgroup/cpu,cpuacct"
        #expect(groups.folders == [mount + "/user.slice/a b", mount + "/user.slice", mount])
    }

    @Test("version 2: the group and those around it, innermost first")
    func versionTwo() throws {
        let groups = try #require(ControlGroups(memberships: "0::/a/b.scope\n", mounts: Self.unified))
        #expect(groups.version == .two)
        #expect(groups.folders == ["/sys/fs/cgroup/a/b.scope", "/sys/fs/cgroup/a", "/sys/fs/cgroup"])
    }

    @Test(
        "in a container the mount shows a part of the hierarchy, or the process sees its group as the root",
        arguments: [
            ("/docker/1f", "/docker/1f", ["/m"]), ("/docker/1f", "/docker/1f/x", ["/m/x", "/m"]), ("/", "/", ["/m"]),
            ("/docker/1f", "/", ["/m"]), ("/docker/1", "/docker/1f", ["/m"]), ("/", "/../other", ["/m"]),
        ])
    func container(root: String, path: String, folders: [String]) throws {
        let mounts = "30 23 0:26 \(root) /m rw - cgroup2 cgroup rw"
        #expect(ControlGroups(memberships: "0::\(path)", mounts: mounts)?.folders == folders)
    }

    @Test("mount points are unescaped")
    func escapes() throws {
        let mounts = #"30 23 0:26 / /a\040b\134c rw - cgroup2 cgroup2 rw"#
        #expect(ControlGroups(memberships: "0::/", mounts: mounts)?.folders == [#"/a b\c"#])
    }

    @Test(
        "other texts have no groups",
        arguments: [
            ("", ""), ("0::/", ""), ("", unified), ("garbage\n::\n0", unified), ("3:cpuset:/", hybrid),
            ("2:cpu:/", unified), ("0::/", "30 23 0:26 / /m rw cgroup2 cgroup2 rw"), ("0::/", "a - b"),
        ])
    func nothing(memberships: String, mounts: String) {
        #expect(ControlGroups(memberships: memberships, mounts: mounts) == nil)
    }

    @Test("quotas of both versions")
    func quotas() {
        #expect(ProcessorQuota(max: "50000 100000\n")?.cores == 0.5)
        #expect(ProcessorQuota(max: "150000 100000")?.cores == 1.5)
        for text in ["max 100000\n", "", "50000", "0 100000", "1 0", "-1 100000", "x y", "1 2 3"] {
            #expect(ProcessorQuota(max: text) == nil, "\(text)")
        }
        #expect(ProcessorQuota(quota: "10000\n", period: "100000\n")?.cores == 0.1)
        for (quota, period) in [("-1\n", "100000\n"), ("", "100000"), ("10000", ""), ("10000", "0")] {
            #expect(ProcessorQuota(quota: quota, period: period) == nil)
        }
    }

    @Test("cpu.stat of both versions; a missing count is not zero")
    func statistics() {
        let first = "nr_periods 45\nnr_throttled 43\nthrottled_time 3551788344\n"
        let second = "usage_usec 425000\nuser_usec 1\nnr_periods 45\nnr_throttled 43\nthrottled_usec 3551788\n"
        #expect(QuotaPeriods(stat: first) != nil && QuotaPeriods(stat: first) == QuotaPeriods(stat: second))
        for text in [
            "", "usage_usec 5\n", "nr_periods 4\n", "nr_periods x\nnr_throttled 1\n", "nr_periods -1\nnr_throttled 1\n",
        ] {
            #expect(QuotaPeriods(stat: text) == nil, "\(text)")
        }
    }

    @Test("schedstat is read in nanoseconds")
    func schedstat() throws {
        let times = try #require(ThreadTimes(schedstat: "1500000000 250000000 7\n"))
        #expect(times.ran == 1.5 && times.waited == 0.25)
        for text in ["", "1", "a b c", "-1 2 3"] { #expect(ThreadTimes(schedstat: text) == nil) }
    }

    @Test("of each stretch of time the busiest thread counts; a number that is used again is a new thread")
    func busiest() {
        func times(_ ran: Double, _ waited: Double) -> ThreadTimes {
            var times = ThreadTimes()
            (times.ran, times.waited) = (ran, waited)
            return times
        }
        var thread = BusiestThread()
        thread.add(["1": times(50, 50), "2": times(9, 1)])
        #expect(thread.times == ThreadTimes())
        thread.add(["1": times(50.5, 50), "2": times(9.25, 1.5)])
        #expect(thread.times == times(0.25, 0.5))
        thread.add(["1": times(51.5, 50), "2": times(0.25, 0), "3": times(0.5, 0.25)])
        #expect(thread.times == times(1.25, 0.5))
        thread.add([:])
        #expect(thread.times == times(1.25, 0.5))
    }
}
