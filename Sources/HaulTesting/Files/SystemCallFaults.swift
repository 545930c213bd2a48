package import HaulFiles
import Synchronization

/// A hook that makes system calls fail, and records them.
///
/// Syncs that should succeed are only simulated.
package final class SystemCallFaults: Sendable {
    private let decide: @Sendable (Int, SystemCall) -> SystemCallVerdict
    private let state = Mutex<(calls: [SystemCall], fired: Int)>(([], 0))

    /// Decides about each call, given its number, counted from 1, and the call.
    package init(_ decide: @escaping @Sendable (Int, SystemCall) -> SystemCallVerdict = { _, _ in .proceed }) {
        self.decide = decide
    }

    /// Fails or shortens one call, given its number, counted from 1.
    package convenience init(number: Int, _ verdict: SystemCallVerdict) {
        self.init { count, _ in count == number ? verdict : .proceed }
    }

    /// Fails or shortens each call of a kind on paths that end with `suffix`.
    package convenience init(
        every kind: SystemCall.Kind, onPathsEndingWith suffix: String = "", _ verdict: SystemCallVerdict
    ) {
        self.init { $1.kind == kind && $1.path.hasSuffix(suffix) ? verdict : .proceed }
    }

    /// The calls so far.
    package var calls: [SystemCall] { state.withLock { $0.calls } }

    /// The number of calls that did not simply proceed.
    package var fired: Int { state.withLock { $0.fired } }

    /// Returns system calls that pass through this object.
    ///
    /// - Parameter bootID: The boot of the simulated machine, or nil for the real one.
    package func system(bootID: String? = nil) -> SystemCalls {
        SystemCalls(hook: { self.response($0) }, bootID: bootID)
    }

    private func response(_ call: SystemCall) -> SystemCallVerdict {
        let number = state.withLock { state in
            state.calls.append(call)
            return state.calls.count
        }
        let verdict = decide(number, call)
        guard verdict == .proceed else {
            state.withLock { $0.fired += 1 }
            return verdict
        }
        return SystemCalls.isSync(call.kind) ? .pretend : .proceed
    }
}

extension SystemCalls {
    /// Returns system calls that all happen, except syncs, which are only simulated.
    package static func quick(bootID: String? = nil) -> SystemCalls {
        SystemCalls(hook: { isSync($0.kind) ? .pretend : .proceed }, bootID: bootID)
    }

    /// Returns true if a call waits for the disk.
    static func isSync(_ kind: SystemCall.Kind) -> Bool {
        switch kind {
        case .fdatasync, .fsync, .fsyncFolder, .syncFileRange, .compareWithDisk: true
        case .open, .close, .status, .space, .lock, .pread, .pwrite, .fallocate, .ftruncate, .punch, .setModified,
            .rename,
            .list,
            .renameNoReplace, .link, .unlink:
            false
        }
    }
}
