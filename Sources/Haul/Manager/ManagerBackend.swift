package import HaulCore

/// What does the work of a `DownloadManager`: in this process, or in another one that goes on without it.
///
/// Each method does what the manager's method of the same name promises. A backend that can't reach its downloads throws
/// `connectionFailed`, and answers what can't throw with what it knew last.
///
/// Events come through the hub, with numbers that grow; gaps are allowed, as where the events of others are left out. What the hub
/// does not hold any more comes from `present` and `recorded`. The bell rings when a summary may have changed.
///
/// A third backend stays possible: a background `URLSession` on Apple's systems, where the system does the transfers. It has no
/// segments and no rate limits, and says so by its capabilities; a pause there ends a task and keeps what resumes it.
package protocol ManagerBackend: AnyObject, Sendable {
    /// Its name for people.
    var name: String { get }
    /// What it can do.
    var capabilities: Capabilities { get }
    /// What had to be done to the list to open it.
    var openingNotice: String? { get }
    /// The newest events.
    var hub: EventHub { get }
    /// Rings when a summary may have changed.
    var changes: ChangeSignal { get }
    /// The settings at work.
    var currentSettings: ManagerSettings { get async }

    /// Adds downloads; handles are those of `owner`.
    ///
    /// - Parameter model: Hears of the downloads from the first event on.
    func add(
        contentsOf specs: some Collection<DownloadSpec> & Sendable, model: (any Downloadable)?,
        of owner: DownloadManager
    ) async throws(DownloadError) -> [Result<Download, DownloadError>]
    /// The identity of the download at a place.
    func find(_ locator: DownloadLocator) async throws(DownloadError) -> DownloadID?
    /// All that is known of one download now.
    func snapshot(_ id: DownloadID) async throws(DownloadError) -> DownloadSnapshot
    /// A page of the list.
    func snapshots(
        _ filter: DownloadFilter, after: DownloadID?, limit: Int, isReversed: Bool
    ) async throws(DownloadError) -> [DownloadSnapshot]
    /// How many pass a filter.
    func count(_ filter: DownloadFilter) async throws(DownloadError) -> Int
    /// How many stand where, and what they do together.
    func summary() async -> DownloadSummary
    /// Changes the settings.
    func update(_ settings: ManagerSettings) async throws(DownloadError)

    /// Does something to one download.
    func perform(_ verb: DownloadVerb, on id: DownloadID) async throws(DownloadError)
    /// Does something to those that pass a filter, and says how many changed.
    func perform(_ verb: DownloadVerb, on filter: DownloadFilter) async throws(DownloadError) -> Int
    /// Gives a download another source.
    func replaceSource(_ id: DownloadID, _ change: SourceChange) async throws(DownloadError)
    /// Changes priority and rate limit.
    func set(_ id: DownloadID, priority: Int?, rateLimit: Int64?) async throws(DownloadError)
    /// Starts a download at once.
    func startNow(_ id: DownloadID) async throws(DownloadError)
    /// Moves a download in the list.
    func move(_ id: DownloadID, to index: Int) async throws(DownloadError)

    /// What limits a download, or limited it.
    func explanation(_ id: DownloadID) async -> Explanation?
    /// Has a model hear what happens to a download.
    func bind(_ model: any Downloadable, to id: DownloadID) async
    /// Whether a file of a download is there.
    func fileExists(at path: String) async -> Bool
    /// The present state: of one download, or of all that run.
    func present(_ download: DownloadID?) async -> ManagerReplay
    /// Recorded events after a number, and the number up to which these are all; the present state where that is too long ago.
    func recorded(after number: Int64, of download: DownloadID?) async -> ManagerReplay
    /// The downloads with one of these tags that were removed by an event behind a number.
    func removed(withOneOf tags: Set<String>, after number: Int64) async throws(DownloadError) -> Set<DownloadID>
    /// The number of the oldest event that is kept.
    var firstEventNumber: Int64? { get async }
    /// The parts of the file that a download works on.
    func segments(_ id: DownloadID) async throws(DownloadError) -> [DownloadSegment]
    /// The number of the last event that this program has seen; nil: none is known.
    var seenEvent: Int64? { get async }
    /// This program has seen all events up to a number.
    func saw(_ number: Int64) async
    /// Returns when nothing runs and nothing will by itself.
    func idle() async
    /// Ends every subscription, and gives back what is held.
    func close() async
}

/// How a download is found.
package enum DownloadLocator: Hashable, Sendable {
    /// By its identity.
    case id(DownloadID)
    /// By its key.
    case key(String)
    /// By its place in the list, 0 first.
    case index(Int)
}
