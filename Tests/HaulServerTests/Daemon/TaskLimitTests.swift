import CHaulSystem
import Testing

@testable import HaulServer

@Suite("The number of threads that can be started")
struct TaskLimitTests {
    @Test("threads are started, counted and ended", arguments: [0, 1, 20])
    func startable(count: Int32) { #expect(haul_startable_threads(count) == count) }

    @Test("nothing is reported if enough threads can be started")
    func enough() throws {
        #expect(TaskLimit.problem() == nil)
        for work in [TaskLimit.Work.downloads(3), .batch, .daemon(downloads: 3)] { try TaskLimit.check(work) }
    }

    @Test("the limits of a process are those of its groups and of the groups above them")
    func files() {
        let own = ["/sys/fs/cgroup/pids.max", "/sys/fs/cgroup/pids/pids.max"]
        #expect(TaskLimit.limitFiles("".utf8) == own)
        #expect(TaskLimit.limitFiles("0::/\nnonsense\n1:memory:/m\n".utf8) == own)
        #expect(
            TaskLimit.limitFiles("9:name=systemd:/s\n8:cpu,pids:/a/b\n0::/u:v\n".utf8) == own + [
                "/sys/fs/cgroup/pids/a/pids.max", "/sys/fs/cgroup/pids/a/b/pids.max", "/sys/fs/cgroup/u:v/pids.max",
            ])
    }
}
