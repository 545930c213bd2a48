import CHaulSystem

/// The space on the disk of the list.
struct DiskSpace: Hashable, Sendable {
    /// The free space of the file system, in bytes.
    var available: Int64
    /// Its size, in bytes.
    var total: Int64

    /// True for a small disk that will soon be full: less than an eighth is left, and less than 16 MiB.
    var isShort: Bool { available < min(total / 8, 16 << 20) }
}

extension DiskSpace {
    /// Returns the space of the file system of a file; nil if it is unknown.
    init?(at path: String) {
        var found = haul_space()
        // Safe: the path is copied by the call, and the C function fills exactly this struct.
        guard unsafe haul_space_of_path(path, &found) == 0 else { return nil }
        self.init(available: Int64(clamping: found.available), total: Int64(clamping: found.total))
    }
}
