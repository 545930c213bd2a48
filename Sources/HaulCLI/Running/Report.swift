package import HaulCore

/// A report to the screen and the event stream; reports are in order.
package enum Report: Sendable {
    /// The number of downloads known before the next one starts; a list may have more.
    case listed(Int)
    /// A download starts.
    case began(GetJob)
    /// Something happened to a download.
    case event(GetJob, TransferEvent)
    /// A line of a list is not a URL: it counts as a failure.
    case badLine(BadLine)
    /// Some downloads were not started because the run was stopped.
    case cutShort
    /// A line of the log.
    case log(String)
    /// The run has ended.
    case closed(Closing)
}
