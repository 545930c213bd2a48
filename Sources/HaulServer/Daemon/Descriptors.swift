import HaulLibC
import Synchronization

/// The maximum number of open files of the process (getrlimit(2)).
package enum DescriptorLimit {
    /// More are useless to a daemon, and some programs that hooks run close each of them in turn.
    private static let maximum: rlim_t = 65_536

    /// Raises the soft limit as far as the hard one allows.
    package static func raise(to maximum: UInt64 = UInt64(maximum)) {
        var limit = rlimit()
        // Unsafe: the kernel fills a value that outlives the call, and copies it in the second call.
        guard unsafe getrlimit(FreeFiles.resource, &limit) == 0 else { return }
        let wanted = min(limit.rlim_max, rlim_t(maximum))
        guard limit.rlim_cur < wanted else { return }
        limit.rlim_cur = wanted
        unsafe _ = setrlimit(FreeFiles.resource, &limit)
    }

    /// The soft limit; nil if it is unknown.
    static var current: UInt64? { FreeFiles.limit }

    /// The error of a process that may not open the files that every command needs; nil if it may.
    package static var problem: String? {
        let needed = FreeFiles.perEventLoop + FreeFiles.spare
        guard !FreeFiles.suffice(for: needed) else { return nil }
        return "the process may open fewer than \(needed) more files: allow 64 (ulimit -n)"
    }

    /// The maximum number of idle connections of one listening socket: an eighth of all files, and at least eight.
    static var connections: Int {
        guard let current else { return 8 }
        return Int(max(8, min(current, UInt64(maximum)) / 8))
    }
}

/// The memory that the process may use (getrlimit(2), RLIMIT_AS and RLIMIT_DATA).
package enum MemoryLimit {
    private static let addressSpace = (megabytes: 512, name: "address space", option: "-v")
    private static let data = (megabytes: 128, name: "data segment", option: "-d")

    /// A warning for each limit that is too small.
    ///
    /// With less, creating a thread sometimes fails: the libraries then wait until it succeeds, or end the process without a
    /// message.
    package static var warnings: [String] {
        #if canImport(Glibc)
            let resources = [__rlimit_resource_t(RLIMIT_AS.rawValue), __rlimit_resource_t(RLIMIT_DATA.rawValue)]
        #else
            let resources = [RLIMIT_AS, RLIMIT_DATA]
        #endif
        return zip(resources, [addressSpace, data]).compactMap { resource, enough in
            var limit = rlimit()
            // Unsafe: the kernel fills a value that outlives the call.
            guard unsafe getrlimit(resource, &limit) == 0, limit.rlim_cur < rlim_t(enough.megabytes) << 20 else {
                return nil
            }
            return
                "the \(enough.name) is limited to \(limit.rlim_cur >> 20) MiB (ulimit \(enough.option)), so the program may "
                + "hang or crash: allow \(enough.megabytes) MiB, and limit its memory by other means, such as MemoryMax= of "
                + "systemd"
        }
    }
}

/// Reserved descriptors that keep the daemon reachable when the process has no others left.
final class SpareDescriptors: Sendable {
    private static let count = 4

    private let held = Mutex<[Int32]>([])

    /// Opens the descriptors.
    init() { refill() }

    deinit { release() }

    /// Releases the descriptors.
    ///
    /// - Returns: False if there were none.
    @discardableResult
    func release() -> Bool {
        held.withLock { held in
            let had = !held.isEmpty
            for file in held { close(file) }
            held = []
            return had
        }
    }

    /// Opens the missing descriptors.
    ///
    /// - Returns: False if the process has too few.
    @discardableResult
    func refill() -> Bool {
        held.withLock { held in
            while held.count < Self.count {
                // Unsafe: the path is a constant.
                let file = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
                guard file >= 0 else { return false }
                held.append(file)
            }
            return true
        }
    }
}
