package import HaulFiles

extension SystemCalls {
    /// Returns system calls that all happen, except syncs, which are only simulated.
    package static func quick(bootID: String? = nil) -> SystemCalls {
        SystemCalls(hook: { isSync($0.kind) ? .pretend : .proceed }, bootID: bootID)
    }

    /// Returns true if a call waits for the disk.
    static func isSync(_ kind: SystemCall.Kind) -> Bool {
        switch kind {
        case .fdatasync, .fsync, .fsyncFolder, .syncFileRange: true
        case .open, .close, .status, .space, .lock, .pread, .pwrite, .fallocate, .ftruncate, .setModified, .rename,
            .list,
            .renameNoReplace, .link, .unlink:
            false
        }
    }
}
