/// The number of a task of the system's transfer service, unique within its session.
package struct SystemTaskID: RawRepresentable, Hashable, Comparable, Sendable {
    /// The number.
    package let rawValue: Int

    /// Creates an identity.
    package init(rawValue: Int) { self.rawValue = rawValue }

    package static func < (first: SystemTaskID, second: SystemTaskID) -> Bool { first.rawValue < second.rawValue }
}

/// The label of a task of the system, by which a later process recognises what it is for.
///
/// The system keeps it with the task (`taskDescription`).
package struct SessionLabel: Hashable, Sendable {
    /// The download.
    package var download: DownloadID
    /// The source as a digest, so that a file of a replaced URL is never used for the new one.
    package var source: String
    /// The strong validator of the bytes that the task continues from, or nil if it begins at the start.
    package var version: String?

    /// Creates a label.
    package init(download: DownloadID, source: String, version: String? = nil) {
        (self.download, self.source, self.version) = (download, source, version)
    }
}

extension SessionLabel: LosslessStringConvertible {
    private static let mark = "haul1"

    /// Reads the label of a task; nil if the task is not one of Haul's.
    package init?(_ description: String) {
        let words = description.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        guard words.count >= 3, words[0] == Self.mark, let id = Int64(words[1]), id > 0, !words[2].isEmpty,
            words.count == 3 || !words[3].isEmpty
        else { return nil }
        self.init(
            download: DownloadID(rawValue: id), source: String(words[2]),
            version: words.count == 4 ? String(words[3]) : nil)
    }

    /// The text that the system keeps.
    package var description: String {
        let words = "\(Self.mark) \(download.rawValue) \(source)"
        return version.map { "\(words) \($0)" } ?? words
    }
}
