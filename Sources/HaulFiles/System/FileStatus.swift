import CHaulSystem
package import HaulCore

/// The status of a file, from statx(2) if available, or else from stat(2).
package struct FileStatus: Sendable, Hashable {
    /// The kind of file.
    package var kind: FileKind
    /// The user who owns it.
    package var owner: UInt32
    /// True for a folder in which all users may create files, but only owners remove theirs, such as `/tmp`.
    package var isShared: Bool
    /// The length in bytes.
    package var size: Int64
    /// The number of bytes allocated on disk.
    package var allocated: Int64
    /// The modification time, in seconds since 1970.
    package var modifiedSeconds: Int64
    /// The fraction of the modification time, in nanoseconds.
    package var modifiedNanoseconds: UInt32
    /// The number of names (hard links).
    package var links: UInt64
    /// The device of the file system.
    ///
    /// May differ after a restart.
    package var device: UInt64
    /// The identity of the file, for the lifetime of the file system.
    package var identity: InodeIdentity
    /// The ID of the mount it was reached through; unique since boot if the kernel is 6.8 or newer; 0 if unknown.
    package var mountID: UInt64

    init(_ found: haul_status) {
        kind = FileKind(found.kind)
        owner = found.owner
        isShared = found.is_shared != 0
        size = found.size
        allocated = found.allocated
        modifiedSeconds = found.modified_seconds
        modifiedNanoseconds = found.modified_nanoseconds
        links = found.links
        device = found.device
        identity = InodeIdentity(
            inode: found.inode, birthSeconds: found.birth_seconds, birthNanoseconds: found.birth_nanoseconds)
        mountID = found.mount_id
    }

    /// The modification time, in nanoseconds since 1970.
    package var modified: Int64 {
        modifiedSeconds.multipliedReportingOverflow(by: 1_000_000_000).partialValue &+ Int64(modifiedNanoseconds)
    }

    /// The identity of the file in the form used outside this module.
    package var file: FileIdentity { FileIdentity(device: device, inode: identity.inode, born: identity.born) }

    /// Returns true if both are the same file at this time.
    func isSameFile(as other: FileStatus) -> Bool { device == other.device && identity.inode == other.identity.inode }
}

/// Distinguishes a file from one that took its place: the inode number and the inode's birth time, because numbers are
/// reused.
package struct InodeIdentity: Sendable, Hashable {
    /// The inode number.
    package var inode: UInt64
    /// The birth time in seconds since 1970; 0 if the file system does not record it.
    package var birthSeconds: Int64
    /// The fraction of the birth time, in nanoseconds.
    package var birthNanoseconds: UInt32

    /// The birth time in nanoseconds since 1970; nil if unknown.
    var born: Int64? {
        let (nanoseconds, isLate) = birthSeconds.multipliedReportingOverflow(by: 1_000_000_000)
        return birthSeconds == 0 || isLate ? nil : nanoseconds.saturatingSum(Int64(birthNanoseconds))
    }

    /// Makes an identity.
    package init(inode: UInt64, birthSeconds: Int64, birthNanoseconds: UInt32) {
        self.inode = inode
        self.birthSeconds = birthSeconds
        self.birthNanoseconds = birthNanoseconds
    }
}

/// The kind of a directory entry.
package enum FileKind: String, Sendable, Hashable, CaseIterable {
    case regular = "file"
    case folder = "folder"
    case symlink = "symbolic link"
    case fifo = "named pipe"
    case device = "device"
    case socket = "socket"
    case other = "special file"

    init(_ kind: Int32) {
        switch UInt32(kind) {
        case haul_kind_regular.rawValue: self = .regular
        case haul_kind_folder.rawValue: self = .folder
        case haul_kind_symlink.rawValue: self = .symlink
        case haul_kind_fifo.rawValue: self = .fifo
        case haul_kind_device.rawValue: self = .device
        case haul_kind_socket.rawValue: self = .socket
        default: self = .other
        }
    }
}

/// The file system of a file, as reported by statfs(2).
package struct FileSpace: Sendable, Hashable {
    /// The number of bytes that an unprivileged user may still write.
    package var available: Int64
    /// True if the file system keeps its files in memory.
    package var inMemory: Bool
}
