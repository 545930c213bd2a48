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

/// A line of an input list that is not a URL.
package struct BadLine: Hashable, Sendable {
    /// The line's number among the downloads.
    package var id: Int
    /// The list as it was named on the command line; `-` is standard input.
    package var list: String
    /// The number of the line in its list, from 1.
    package var line: Int
    /// The error, and the expected form.
    package var message: String

    /// Makes the value.
    package init(id: Int, list: String, line: Int, message: String) {
        self.id = id
        self.list = list
        self.line = line
        self.message = URLRedaction.inText(message)
    }
}
