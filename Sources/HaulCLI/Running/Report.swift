package import HaulCore

/// What the screen and the event stream are told, in order.
package enum Report: Sendable {
    /// So many downloads are known before the next one begins; a list may have more.
    case listed(Int)
    /// A download begins; nothing is known of it yet.
    case began(GetJob)
    /// Something happened to a download.
    case event(GetJob, TransferEvent)
    /// A line of a list is no URL: it counts as a failure.
    case badLine(BadLine)
    /// Downloads were left out, because the run was stopped.
    case cutShort
    /// A line of the log.
    case log(String)
    /// The run is over.
    case closed(Closing)
}
