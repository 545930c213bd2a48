/// The mounted file systems that a process sees: proc_pid_mountinfo(5).
package struct MountTable: Hashable, Sendable {
    /// A mounted file system.
    package struct Mount: Hashable, Sendable {
        /// The numbers of the device, such as `8:1`, which several mounts of one file system share.
        package let device: String
        /// The folder of the file system that is mounted.
        package let root: String
        /// The folder that it is mounted on.
        package let point: String
        /// The type, such as `ext4`.
        package let type: String
        /// The options of the file system.
        package let options: [Substring]
    }

    /// The mounts, in the order of the kernel: a later one covers earlier ones on the same folder.
    package let mounts: [Mount]

    /// Reads the text of `/proc/self/mountinfo`; lines that are not understood are left out.
    package init(_ text: String) { mounts = text.split(separator: "\n").compactMap(Mount.init) }

    /// Returns the mount that contains an absolute path; nil if the table has no such mount.
    ///
    /// It is found by the path alone, without a look at the disk: symbolic links are not followed.
    package func mount(of path: String) -> Mount? {
        var found: Mount?
        for mount in mounts where mount.contains(path) && mount.point.utf8.count >= found?.point.utf8.count ?? 0 {
            found = mount
        }
        return found
    }
}

extension MountTable.Mount {
    /// Reads a line; nil if it is not understood.
    fileprivate init?(_ line: Substring) {
        let fields = line.split(separator: " ")
        guard let dash = fields.firstIndex(of: "-"), dash >= 6, fields.count > dash + 3 else { return nil }
        device = String(fields[2])
        (root, point) = (Self.unescaped(fields[3]), Self.unescaped(fields[4]))
        type = String(fields[dash + 1])
        options = fields[dash + 3].split(separator: ",")
    }

    /// The kernel escapes spaces, tabs, newlines and backslashes as three octal digits.
    private static func unescaped(_ field: Substring) -> String {
        [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")]
            .reduce(String(field)) {
                $0.split(separator: $1.0, omittingEmptySubsequences: false).joined(separator: $1.1)
            }
    }

    /// Returns true if a path is the mount's folder or in it.
    fileprivate func contains(_ path: String) -> Bool {
        guard point != "/" else { return path.utf8.first == UInt8(ascii: "/") }
        let rest = path.utf8.dropFirst(point.utf8.count)
        return path.utf8.starts(with: point.utf8) && (rest.isEmpty || rest.first == UInt8(ascii: "/"))
    }
}

/// A disk that does not respond.
package struct BlockedDisk: Hashable, Sendable {
    /// The folder that it is mounted on.
    package var mountPoint: String
    /// The time that it has not responded for, as far as is known.
    package var time: Duration

    /// Creates a value.
    package init(mountPoint: String, time: Duration) { (self.mountPoint, self.time) = (mountPoint, time) }
}
