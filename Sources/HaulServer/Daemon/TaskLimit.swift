import CHaulSystem
package import HaulCore
import HaulLibC

/// The number of threads that the process may start: `ulimit -u`, and `pids.max` of cgroups(7).
///
/// Without threads, the libraries wait until one can be started, or end the process without a message.
package enum TaskLimit {
    /// With a higher limit, there is no reason to look closer.
    private static let enough: Int64 = 4096

    /// The work of the process, each with the greatest number of its threads, beside one per processor.
    package enum Work {
        /// Any command.
        case command
        /// This many downloads at a time.
        case downloads(Int?)
        /// `haul batch`, whose downloads share their threads.
        case batch
        /// A daemon with this many downloads at a time, whose commands have threads for each disk.
        case daemon(downloads: Int?)

        fileprivate var threads: Int {
            switch self {
            case .command: 6
            case .downloads(let count): 6 + Self.busy(count)
            case .batch: 12
            case .daemon(let count): 20 + Self.busy(count)
            }
        }

        /// Of more downloads than this, not all need a thread at once; nil is any number.
        private static func busy(_ downloads: Int?) -> Int { min(downloads ?? 64, 64) }
    }

    /// The number of processors, of which more than these are never all busy: a container sees all of its machine.
    private static var processors: Int { min(58, max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    /// The files of the process's threads, which libdispatch reads; without them it ends the process.
    private static let tasks = "/proc/self/task"
    private static let withoutTasks =
        "can't read \(tasks), which the program's threads need: mount /proc (mount -t proc proc /proc)"

    private static let withoutThreads =
        "no thread can be started: allow clone3(2) in the seccomp profile of the container, or use a newer container runtime"

    /// Checks that the process can start the threads that its work needs.
    ///
    /// - Throws: `DownloadError` with code `tooManyFiles`.
    package static func check(_ work: Work) throws(DownloadError) {
        guard let problem = problem(work) else { return }
        throw DownloadError(.tooManyFiles, "\(problem), or run fewer downloads at a time")
    }

    /// The error of a process that can't start the threads that its work needs; nil if it can.
    package static func problem(_ work: Work = .command) -> String? {
        #if os(Linux)
            // Safe: the path is a constant.
            guard unsafe access(tasks, R_OK) == 0 else { return withoutTasks }
        #endif
        guard haul_task_limit() < enough || isSmallContainer else {
            return haul_startable_threads(1) == 1 ? nil : withoutThreads
        }
        let needed = Int32(work.threads + processors)
        let possible = haul_startable_threads(needed)
        guard possible < needed else { return nil }
        return
            "only \(possible) of \(needed) threads can be started: allow more (ulimit -u, or the container's limit of processes)"
    }

    /// True if the process is in a control group that allows few processes.
    private static var isSmallContainer: Bool {
        limitFiles(contents(of: "/proc/self/cgroup", limit: 4096)).contains { path in
            let digits = contents(of: path, limit: 32).prefix { $0 != UInt8(ascii: "\n") }
            return Int64(String(decoding: digits, as: UTF8.self)).map { $0 < enough } ?? false
        }
    }

    /// Returns the files with the limits of the groups in the text of `/proc/self/cgroup`, and of those above them.
    ///
    /// In a container, the files of its own group are at the top.
    static func limitFiles(_ groups: some Sequence<UInt8>) -> [String] {
        var files = ["/sys/fs/cgroup/pids.max", "/sys/fs/cgroup/pids/pids.max"]
        for line in String(decoding: Array(groups), as: UTF8.self).split(separator: "\n") {
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { continue }
            let isUnified = fields[0] == "0" && fields[1].isEmpty
            guard isUnified || fields[1].split(separator: ",").contains("pids") else { continue }
            var folder = isUnified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/pids"
            for name in fields[2].split(separator: "/") {
                folder += "/\(name)"
                files.append("\(folder)/pids.max")
            }
        }
        return files
    }

    private static func contents(of path: String, limit: Int) -> ArraySlice<UInt8> {
        // Safe: the path is copied by the call, and at most as many bytes are read as there is room for.
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: limit)
        let length = unsafe read(file, &bytes, bytes.count)
        return bytes.prefix(max(0, length))
    }
}
