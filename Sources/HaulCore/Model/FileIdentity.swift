/// Which file it is, whatever its name: the device and the number of its inode on it, as stat(2) tells them.
///
/// A rename keeps both. A device may have another number after a restart, and an inode's number is given again once its file is
/// gone: so it tells a file from others only together with a path, and for a while.
public struct FileIdentity: Hashable, Sendable, Codable {
    /// The number of the device.
    public var device: UInt64
    /// The number of the inode.
    public var inode: UInt64

    /// Makes an identity.
    public init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}
