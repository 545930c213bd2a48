import HaulCore

/// The object at the destination of a file.
package enum ExistingFile: Sendable, Hashable {
    /// Nothing exists there.
    case none
    /// A regular file.
    case regular(size: Int64, modifiedSeconds: Int64)
    /// An object that is never replaced or written through: a folder, a symbolic link, a device.
    case other(FileKind)

    /// Inspects a path; a symbolic link at its end is not followed.
    package static func at(_ path: String, system: SystemCalls = .live) throws(FileError) -> ExistingFile {
        guard let status = try system.status(atPath: path) else { return .none }
        guard status.kind == .regular else { return .other(status.kind) }
        return .regular(size: status.size, modifiedSeconds: status.modifiedSeconds)
    }
}

/// A regular file that a download may replace, as it was when the download began.
package struct ReplaceableFile: Sendable, Hashable {
    private let file: FileIdentity
    private let size: Int64
    private let modified: Int64
    /// The control files of other programs beside it, by path: they describe it, and are removed with it.
    let controls: [String: ReplaceableFile]

    /// Records a file.
    package init(_ status: FileStatus) { self.init(status, controls: [:]) }

    private init(_ status: FileStatus, controls: [String: ReplaceableFile]) {
        file = status.file
        size = status.size
        modified = status.modified
        self.controls = controls
    }

    /// Returns true if a file is still the recorded one, unchanged.
    func describes(_ status: FileStatus) -> Bool {
        file == status.file && size == status.size && modified == status.modified
    }

    /// The time at which the file at a path is recorded.
    package enum Seen: Sendable, Hashable {
        /// Now.
        case now
        /// Earlier: that file, or nil if there was none that may be replaced.
        case before(ReplaceableFile?)

        func file(at path: String, _ system: SystemCalls) throws(FileError) -> ReplaceableFile? {
            switch self {
            case .now: try .at(path, system: system)
            case .before(let file): file
            }
        }
    }

    /// Records the file at a path; nil if it is not a regular file.
    package static func at(_ path: String, system: SystemCalls = .live) throws(FileError) -> ReplaceableFile? {
        guard let status = try system.status(atPath: path), status.kind == .regular else { return nil }
        return ReplaceableFile(status, controls: ForeignControl.seen(beside: path, system: system))
    }
}
