/// What stands at the place where a file should go.
package enum ExistingFile: Sendable, Hashable {
    /// Nothing.
    case none
    /// An ordinary file.
    case regular(size: Int64, modifiedSeconds: Int64)
    /// Something that is never replaced or written through: a folder, a symbolic link, a device.
    case other(FileKind)

    /// Looks; a symbolic link at the end of the path is not followed.
    package static func at(_ path: String, system: SystemCalls = .live) throws(FileError) -> ExistingFile {
        guard let status = try system.status(atPath: path) else { return .none }
        guard status.kind == .regular else { return .other(status.kind) }
        return .regular(size: status.size, modifiedSeconds: status.modifiedSeconds)
    }
}
