import CHaulSystem

/// The space on the disk of the list.
enum DiskSpace {
    /// Returns the free space of the file system of a file, in bytes; nil if it is unknown.
    static func available(at path: String) -> Int64? {
        var found = haul_space()
        // Safe: the path is copied by the call, and the C function fills exactly this struct.
        guard unsafe haul_space_of_path(path, &found) == 0 else { return nil }
        return Int64(clamping: found.available)
    }
}
