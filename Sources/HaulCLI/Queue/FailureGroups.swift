package import HaulCore

/// The downloads for which a command failed, by error: one reason for a thousand downloads is one line.
package struct FailureGroups: Hashable, Sendable {
    /// Downloads that failed for one reason.
    package struct Group: Hashable, Sendable {
        /// The error.
        package let error: DownloadError
        /// The command that the user can type.
        package let advice: String?
        /// The downloads, if there are several and the error does not name them.
        package let name: String?
    }

    private struct Reason: Hashable {
        let error: DownloadError
        let advice: String?
    }

    private var reasons: [Reason] = []
    private var ids: [Reason: [DownloadID]] = [:]

    /// Makes an empty collection.
    package init() {}

    /// Adds a failure of one download.
    ///
    /// - Parameter advice: The command that the user can type.
    package mutating func add(_ id: DownloadID, _ error: DownloadError, advice: String? = nil) {
        // The daemon's message names the download, and is replaced.
        let error = error.code == .noSuchDownload ? DownloadError(.noSuchDownload, "") : error
        let reason = Reason(error: error, advice: advice)
        if ids[reason] == nil { reasons.append(reason) }
        ids[reason, default: []].append(id)
    }

    /// Adds a download that does not exist.
    package mutating func addMissing(_ id: DownloadID) { add(id, DownloadError(.noSuchDownload, "")) }

    /// The groups, in the order of their first failures.
    package var groups: [Group] {
        reasons.map { reason in
            let ids = ids[reason] ?? []
            let list = "\(ids.count == 1 ? "download" : "downloads") \(Selection.text(of: ids))"
            guard reason.error.code == .noSuchDownload else {
                return Group(error: reason.error, advice: reason.advice, name: ids.count == 1 ? nil : list)
            }
            let missing = DownloadError(.noSuchDownload, "\(list) \(ids.count == 1 ? "does" : "do") not exist")
            return Group(error: missing, advice: nil, name: nil)
        }
    }
}
