package import HaulCore
import HaulLibC

/// The implementation of a `DownloadManager`: in this process, or in another one that continues without it.
///
/// Each method does what the manager's method of the same name promises. A backend that can't reach its downloads
/// throws `connectionFailed`; methods that can't throw return the last known values.
///
/// Events come through the hub, with increasing numbers; gaps are allowed, for example if events of other programs are
/// left out. Events that the hub no longer holds come from `present` and `recorded`. `changes` signals that a summary
/// may have changed.
///
/// A background `URLSession` on Apple's systems is not a backend of its own: it performs the runs of the one in this
/// process (`RunBackend` of HaulLocal). It has no segments and no rate limits, and the capabilities say so.
package protocol ManagerBackend: AnyObject, Sendable {
    /// The name shown to people.
    var name: String { get }
    /// The optional features that are available.
    var capabilities: Capabilities { get }
    /// A notice about the opening of the list, see `DownloadManager.openingNotice`.
    var openingNotice: String? { get }
    /// The folder that relative paths of new downloads are resolved against; nil if it no longer exists.
    var workingFolder: String? { get }
    /// The folder for downloads that are added by their URL alone; nil: none.
    var folder: String? { get }
    /// Creates that folder if it is missing.
    func makeFolder() async throws(DownloadError)
    /// The newest events.
    var hub: EventHub { get }
    /// A signal that a summary may have changed.
    var changes: ChangeSignal { get }
    /// The current settings.
    var currentSettings: ManagerSettings { get async }

    /// Adds downloads; the handles belong to `owner`.
    ///
    /// - Parameter model: Receives the events of the downloads from the first one on.
    func add(
        contentsOf specs: some Collection<DownloadSpec> & Sendable, model: (any Downloadable)?,
        of owner: DownloadManager
    ) async throws(DownloadError) -> [Result<Download, DownloadError>]
    /// Returns the identity of a download.
    func find(_ locator: DownloadLocator) async throws(DownloadError) -> DownloadID?
    /// Returns the current snapshot of a download.
    func snapshot(_ id: DownloadID) async throws(DownloadError) -> DownloadSnapshot
    /// Returns a page of the list.
    func snapshots(
        _ filter: DownloadFilter, after: DownloadID?, limit: Int, isReversed: Bool
    ) async throws(DownloadError) -> [DownloadSnapshot]
    /// Returns the number of downloads that match a filter.
    func count(_ filter: DownloadFilter) async throws(DownloadError) -> Int
    /// Returns the number of downloads by state, and their total speed and connections.
    func summary() async -> DownloadSummary
    /// Changes the settings.
    func update(_ settings: ManagerSettings) async throws(DownloadError)

    /// Gives a command to one download.
    func perform(_ verb: DownloadVerb, on id: DownloadID) async throws(DownloadError)
    /// Gives a command to the downloads that match a filter, and returns the number of those that changed.
    func perform(_ verb: DownloadVerb, on filter: DownloadFilter) async throws(DownloadError) -> Int
    /// Replaces the source of a download.
    func replaceSource(_ id: DownloadID, _ change: SourceChange) async throws(DownloadError)
    /// Changes priority and rate limit.
    func set(_ id: DownloadID, priority: Int?, rateLimit: Int64?) async throws(DownloadError)
    /// Starts a download at once.
    func startNow(_ id: DownloadID) async throws(DownloadError)
    /// Moves a download in the list.
    func move(_ id: DownloadID, to index: Int) async throws(DownloadError)

    /// Returns what limits a download, or limited its last run.
    func explanation(_ id: DownloadID) async -> Explanation?
    /// Passes the events of a download to a model.
    func bind(_ model: any Downloadable, to id: DownloadID) async
    /// Returns true if a file of a download exists.
    func fileExists(at path: String) async -> Bool
    /// Returns snapshots of one download, or of all that run.
    func present(_ download: DownloadID?) async -> ManagerReplay
    /// Returns the recorded events after a number, and the number up to which they are complete; the present state if
    /// that is too long ago.
    func recorded(after number: Int64, of download: DownloadID?) async -> ManagerReplay
    /// Returns the downloads with one of these tags that were removed by an event after a number.
    func removed(withOneOf tags: Set<String>, after number: Int64) async throws(DownloadError) -> Set<DownloadID>
    /// The downloads that others wait for.
    var awaited: Set<DownloadID> { get async throws(DownloadError) }
    /// The number of the oldest event that is kept.
    var firstEventNumber: Int64? { get async }
    /// Returns the segments of a running download.
    func segments(_ id: DownloadID) async throws(DownloadError) -> [DownloadSegment]
    /// The number of the last event that this program has seen; nil: none is known.
    var seenEvent: Int64? { get async }
    /// Records that this program has seen all events up to a number.
    func saw(_ number: Int64) async
    /// Waits until nothing is running or due to start.
    func idle() async
    /// Ends every subscription and releases all resources.
    func close() async
}

extension ManagerBackend {
    /// The working folder of the process at present.
    package var workingFolder: String? { WorkingFolder.path }

    /// Returns the key of the download that a spec describes.
    func key(of spec: DownloadSpec) throws(DownloadError) -> String {
        if let key = spec.key { return key }
        return try spec.absolute(in: workingFolder).canonicalKey
    }
}

/// A way to identify a download.
package enum DownloadLocator: Hashable, Sendable {
    /// By its identity.
    case id(DownloadID)
    /// By its key.
    case key(String)
    /// By its index in the list, from 0.
    case index(Int)
}

/// Changes to a download's source; nil leaves a value as it is.
package struct SourceChange: Sendable {
    /// The URL.
    package var url: String?
    /// The headers.
    package var headers: [DownloadSpec.Header]?
    /// The password of the URL's user.
    package var password: Secret?
    /// The bearer token.
    package var bearerToken: Secret?
    /// True if only public addresses may be connected to.
    package var publicAddressesOnly: Bool?

    /// Creates an empty change.
    package init() {}
}
