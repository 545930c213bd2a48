package import HaulFiles
import HaulLibC

extension SystemCalls {
    /// Returns calls for which all users may create files in each folder, and some files are another user's.
    ///
    /// - Parameters:
    ///   - isShared: False if other users may not.
    ///   - owner: The owner of the folders.
    ///   - suffixes: The ends of the paths of the other user's files.
    package static func sharedFolder(
        isShared: Bool = true, owner: UInt32 = 0, strangers suffixes: [String]
    ) -> SystemCalls {
        SystemCalls(hook: { isSync($0.kind) ? .pretend : .proceed }) { status, path in
            var status = status
            if status.kind == .folder { (status.isShared, status.owner) = (isShared, owner) }
            let path = path.hasPrefix("/proc/") ? SystemCalls.live.realPath(path) ?? path : path
            if status.kind == .regular {
                status.owner = suffixes.contains { path.hasSuffix($0) } ? stranger : geteuid()
            }
            return status
        }
    }

    /// The other user.
    package static let stranger: UInt32 = 4711
}
