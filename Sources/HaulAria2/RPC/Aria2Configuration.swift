import Haul
package import HaulCore

/// What aria2's interface is made with.
package struct Aria2Configuration: Sendable {
    /// What clients have to know; nil: nothing.
    package var secret: String?
    /// How long an answer to a wrong secret takes, so that guessing is slow.
    package var refusalDelay: Duration = .seconds(1)
    /// Where downloads may go.
    package var roots: Aria2Roots
    /// The schemes of URIs that may be fetched; nil: all that Haul knows.
    package var schemes: Set<String>?
    /// Options that were given for all downloads.
    package var options = Aria2Options()
    /// Settings of all downloads that no client may choose: certificates, cookies, netrc.
    package var template = DownloadSpec(url: "", destination: .folder(path: "."))
    /// Says why a download may not be added; nil: it may.
    package var refusal: (@Sendable (DownloadSpec) async -> String?)?
    /// Ends the program that has the manager, at once where it is told so; nil: clients can't.
    package var shutdown: (@Sendable (_ atOnce: Bool) -> Void)?
    /// How long a shutdown waits, so that its answer arrives.
    package var shutdownDelay: Duration = .seconds(3)
    /// Writes the session to a path; nil: the manager keeps its list itself, and there is nothing to do.
    package var saveSession: (@Sendable (_ path: String) async throws(Aria2Failure) -> Void)?
    /// Whether who has not shown the secret hears of downloads (by identity alone), as with aria2; pages of other origins never do.
    package var notifiesStrangers = false
    /// Whether calls may come by GET, for JSONP.
    package var allowsGet = true
    /// The largest request in bytes.
    package var maxBytes = 2 << 20

    /// Makes a configuration with the documented defaults.
    package init(roots: Aria2Roots) { self.roots = roots }
}
