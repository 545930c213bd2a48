/// Which file it is, whatever its name: its device, the number of its inode there, and when that inode was born (statx(2)).
///
/// A rename keeps all three. Numbers of inodes are given again, often at once, and a device may have another number after a restart: only
/// the time of birth tells a file from one that took its place.
public struct FileIdentity: Hashable, Sendable, Codable {
    /// The number of the device.
    public var device: UInt64
    /// The number of the inode.
    public var inode: UInt64
    /// The time at which the inode was born, in nanoseconds since 1970; nil if the file system does not keep it.
    public var born: Int64?

    /// Makes an identity.
    public init(device: UInt64, inode: UInt64, born: Int64? = nil) {
        self.device = device
        self.inode = inode
        self.born = born
    }
}
