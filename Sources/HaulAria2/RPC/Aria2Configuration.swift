import Haul
package import HaulCore

/// The configuration of aria2's interface.
package struct Aria2Configuration: Sendable {
    /// The secret that clients must send; nil for none.
    package var secret: String?
    /// The delay of the response to a wrong secret, which slows guessing down.
    package var refusalDelay: Duration = .seconds(1)
    /// Returns the folders that downloads may be saved to; asked at each call, since a daemon's can change.
    package var currentRoots: @Sendable () -> Aria2Roots
    /// The folders that downloads may be saved to at present.
    package var roots: Aria2Roots { currentRoots() }
    /// Throws an error for a source of a kind that is not allowed; nil if all that Haul supports are.
    package var checkSource: Aria2Sources.Check?
    /// The options for all downloads.
    package var options = Aria2Options()
    /// Settings of all downloads that clients cannot change: certificates, cookies, netrc.
    package var template = DownloadSpec(url: "", destination: .folder(path: "."))
    /// Applies the rules for clients' sources to a download, or throws an error; asked at each call; nil for no rules.
    package var admit: (@Sendable (inout DownloadSpec) throws(DownloadError) -> Void)?
    /// Changes the number of concurrent downloads and the overall rate limit, of which nil leaves one as it is; nil if
    /// only aria2's clients change the manager's settings.
    package var changeSettings: (@Sendable (_ jobs: Int64?, _ rate: Int64?) async throws(DownloadError) -> Void)?
    /// Ends the program that owns the manager, at once if the argument is true; nil if clients cannot end it.
    package var shutdown: (@Sendable (_ atOnce: Bool) -> Void)?
    /// The delay of a shutdown, so that its response arrives.
    package var shutdownDelay: Duration = .seconds(3)
    /// Writes the session to a path; nil if the manager stores its list itself, so that nothing needs to be written.
    package var saveSession: (@Sendable (_ path: String) async throws(Aria2Failure) -> Void)?
    /// True if clients that have not sent the secret receive notifications (which contain only GIDs), as in aria2;
    /// pages of other origins never do.
    package var notifiesStrangers = false
    /// True if downloads may be added as paused; without clients nothing could resume them.
    package var allowsPause = true
    /// True if calls by GET are allowed, for JSONP.
    package var allowsGet = true
    /// The maximum size of a request in bytes.
    package var maxBytes = 2 << 20

    /// Creates a configuration with the documented defaults.
    package init(roots: Aria2Roots) { self.init { roots } }

    /// Creates a configuration with the documented defaults, whose folders can change.
    package init(roots: @escaping @Sendable () -> Aria2Roots) { currentRoots = roots }
}
