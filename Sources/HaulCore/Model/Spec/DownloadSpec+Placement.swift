extension DownloadSpec {
    /// The place of a file, and what happens to files that exist.
    public struct Placement: Sendable, Hashable {
        /// The destination.
        public var destination: Destination
        /// The policy if a file exists at the destination.
        public var onConflict = ConflictPolicy.fail
        /// True if a file at the destination is verified first, and kept if it is correct.
        ///
        /// `onConflict` applies only to one that is not.
        public var verifiesExisting = false
        /// True if a partial file is resumed, and kept when the download stops.
        ///
        /// If not, no journal is written, and what an earlier run left is discarded.
        public var resumes = true
        /// True if an unfinished file of another program is resumed, once its bytes are proved to be the server's: the
        /// beginning of the file under its final name, what aria2 or axel left together with its control file, or a
        /// browser's `NAME.part`, `NAME.crdownload` or `NAME.download`.
        ///
        /// A file that cannot be proved is left unchanged, and the download fails. It requires `resumes`, and excludes
        /// `range`.
        public var adoptsPartials = false
        /// The protection class of the finished file; nil for that of its folder.
        ///
        /// The file gets it just before its name; the partial file has that of its folder, so that a download can continue
        /// while the device is locked. Without effect if the manager's capabilities lack `fileProtection`, as on Linux.
        public var protection: FileProtection?
        /// True if the finished file is not part of the device's backup.
        ///
        /// Without effect if the manager's capabilities lack `backupExclusion`, as on Linux.
        public var isExcludedFromBackup = false

        init(destination: Destination) { self.destination = destination }
    }
}

extension DownloadSpec.Placement: SpecPart {
    package static let standard = Self(destination: .file(path: ""))

    // Requests and the catalogue have forms of their own for the destination.
    package static let fields: [PartField<Self>] = [
        .init("onConflict", \.onConflict), .init("verifiesExisting", \.verifiesExisting),
        .init("resumes", \.resumes), .init("adoptsPartials", \.adoptsPartials), .init("protection", \.protection),
        .init("isExcludedFromBackup", \.isExcludedFromBackup),
    ]
}
