import HaulCore

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

/// An ordinary file that a download may replace: which one, and as it was when the download began.
package struct ReplaceableFile: Sendable, Hashable {
    private let file: FileIdentity
    private let size: Int64
    private let modified: Int64
    /// The control files of other programs beside it, by their paths: they describe it, and go with it.
    let controls: [String: ReplaceableFile]

    /// Remembers a file.
    package init(_ status: FileStatus) { self.init(status, controls: [:]) }

    private init(_ status: FileStatus, controls: [String: ReplaceableFile]) {
        file = status.file
        size = status.size
        modified = status.modified
        self.controls = controls
    }

    /// Returns whether a file is still the one that was seen, unchanged.
    func describes(_ status: FileStatus) -> Bool {
        file == status.file && size == status.size && modified == status.modified
    }

    /// When it was seen what is at a path.
    package enum Seen: Sendable, Hashable {
        /// It has not been looked at before.
        case now
        /// Earlier: that file, or nothing that may be replaced.
        case before(ReplaceableFile?)

        func file(at path: String, _ system: SystemCalls) throws(FileError) -> ReplaceableFile? {
            switch self {
            case .now: try .at(path, system: system)
            case .before(let file): file
            }
        }
    }

    /// Looks at a path; nil if there is no ordinary file.
    package static func at(_ path: String, system: SystemCalls = .live) throws(FileError) -> ReplaceableFile? {
        guard let status = try system.status(atPath: path), status.kind == .regular else { return nil }
        return ReplaceableFile(status, controls: ForeignControl.seen(beside: path, system: system))
    }
}
