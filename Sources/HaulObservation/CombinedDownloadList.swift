public import HaulCore
public import HaulManager
public import Observation

/// Several lists for a user interface shown as one: those of a manager in this process and of one in the background, for
/// example.
///
///     let list = CombinedDownloadList([DownloadList(inProcess), DownloadList(background)])
///
/// Each list keeps its filter, order and limit. Identities are those of one manager: `row.download` tells the rows of
/// several apart, and `row.download.manager` says where a download runs.
@MainActor @Observable
public final class CombinedDownloadList {
    /// The lists, in the order in which they are shown.
    @ObservationIgnored public nonisolated let lists: [DownloadList]

    /// Combines lists, which `run` keeps up to date.
    public init(_ lists: [DownloadList]) { self.lists = lists }

    /// The rows of all lists, list by list.
    public var downloads: [ObservableDownload] { lists.flatMap(\.downloads) }
    /// The sum of the summaries.
    public var summary: DownloadSummary { lists.reduce(DownloadSummary()) { $0 + $1.summary } }
    /// True once the rows of all lists have been read for the first time.
    public var isLoaded: Bool { lists.allSatisfy(\.isLoaded) }

    /// The row of a download; nil if it is not shown.
    public subscript(download: Download) -> ObservableDownload? {
        lists.lazy.filter { $0.manager === download.manager }.compactMap { $0[download.id] }.first
    }

    /// Reads the lists and keeps them up to date until all managers are closed or the task is cancelled.
    ///
    /// The rows of a manager that is closed stay as they are.
    ///
    /// - Parameter refreshInterval: The minimum time between two changes of a list; by default that of a screen with
    ///   60 Hz.
    /// - Throws: `CancellationError` if the task is cancelled, `DownloadError` if a list can't be read.
    public func run(refreshInterval: Duration = .screenRefresh) async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for list in lists { tasks.addTask { try await list.run(refreshInterval: refreshInterval) } }
            try await tasks.waitForAll()
        }
    }
}
