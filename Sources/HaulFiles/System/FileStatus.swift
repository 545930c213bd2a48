import CHaulSystem
package import HaulCore

/// What stat tells of a file: statx(2) where the system has it.
package struct FileStatus: Sendable, Hashable {
    /// What it is.
    package var kind: FileKind
    /// Its length in bytes.
    package var size: Int64
    /// The bytes that the disk has set aside for it.
    package var allocated: Int64
    /// When its content changed last, in seconds since 1970.
    package var modifiedSeconds: Int64
    /// The nanoseconds beyond.
    package var modifiedNanoseconds: UInt32
    /// How many names it has.
    package var links: UInt64
    /// The device it is on.
    ///
    /// Not the same after a restart.
    package var device: UInt64
    /// Which file it is, for as long as the file system lives.
    package var identity: InodeIdentity
    /// The mount it was reached through; unique since the start of the machine where the kernel is 6.8 or newer; 0 if
    /// not known.
    package var mountID: UInt64

    init(_ found: haul_status) {
        kind = FileKind(found.kind)
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

    /// When its content changed last, in nanoseconds since 1970.
    package var modified: Int64 {
        modifiedSeconds.multipliedReportingOverflow(by: 1_000_000_000).partialValue &+ Int64(modifiedNanoseconds)
    }

    /// Which file it is, as it is told to others.
    package var file: FileIdentity { FileIdentity(device: device, inode: identity.inode, born: identity.born) }

    /// Whether both are the same file now.
    func isSameFile(as other: FileStatus) -> Bool { device == other.device && identity.inode == other.identity.inode }
}

/// What tells a file from one that took its place: the inode's number, and when the inode was born, since numbers are
/// used again.
package struct InodeIdentity: Sendable, Hashable {
    /// The inode's number.
    package var inode: UInt64
    /// Seconds since 1970 of its birth, 0 where the file system does not know.
    package var birthSeconds: Int64
    /// The part of a second beyond.
    package var birthNanoseconds: UInt32

    /// The time of birth in nanoseconds since 1970; nil if it is not known.
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

/// What a directory entry stands for.
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

/// What statfs(2) tells of the file system under a file.
package struct FileSpace: Sendable, Hashable {
    /// The bytes that an ordinary user may still write.
    package var available: Int64
    /// Whether it keeps its files in memory.
    package var inMemory: Bool
}
