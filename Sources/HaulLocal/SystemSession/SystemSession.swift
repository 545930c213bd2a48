package import HTTPTypes
package import HaulCore

/// The calls of the system's transfer service that Haul uses: on Apple's systems, a background `URLSession`.
///
/// Its tasks continue while the process does not run. No method calls the delegate before it has returned.
package protocol SystemSession: Sendable {
    /// Sets the receiver of everything that the system reports; what it kept for the process comes then.
    func attach(_ delegate: any SystemSessionDelegate)
    /// Returns the tasks that have not ended.
    func tasks() async -> [SystemTask]
    /// Creates a task for a request, which begins after a delay.
    func start(_ request: SystemRequest, after delay: Duration) throws(DownloadError) -> SystemTaskID
    /// Creates a task that continues from resume data.
    ///
    /// - Throws: `DownloadError` if the data can't be used.
    func start(
        resuming data: [UInt8], _ label: SessionLabel, after delay: Duration
    ) throws(DownloadError) -> SystemTaskID
    /// Cancels a task.
    func cancel(_ task: SystemTaskID)
    /// Cancels a task, and reports its resume data or nothing.
    func cancelKeeping(_ task: SystemTaskID)
}

/// The receiver of what the system reports, on any thread, one call at a time.
package protocol SystemSessionDelegate: AnyObject, Sendable {
    /// Bytes of a file have come; `task.received` is the number of all of them.
    func received(_ task: SystemTask, total: Int64?, _ response: SystemResponse?)
    /// A file is complete, at a path where it exists until the call returns.
    func delivered(_ task: SystemTask, at path: String, _ response: SystemResponse?)
    /// A task has ended; after a success, its file was delivered before.
    func completed(_ task: SystemTask, _ failure: SystemFailure?, _ response: SystemResponse?)
    /// The answer to `cancelKeeping`.
    func resumeData(_ task: SystemTask, _ data: [UInt8]?, _ response: SystemResponse?)
    /// Everything that the system kept while the process did not run was reported.
    ///
    /// - Parameter answer: To be called when the process may be suspended.
    func reportedAll(answer: @escaping @Sendable () -> Void)
}

/// A task of the system.
package struct SystemTask: Hashable, Sendable {
    /// The number.
    package var id: SystemTaskID
    /// The label; nil if it is not one of Haul's.
    package var label: SessionLabel?
    /// The number of bytes of the file received.
    package var received: Int64

    /// Creates the value.
    package init(id: SystemTaskID, label: SessionLabel?, received: Int64) {
        (self.id, self.label, self.received) = (id, label, received)
    }
}

/// The last response to a task.
package struct SystemResponse: Hashable, Sendable {
    /// The head.
    package var head: HTTPResponse
    /// The URL that has responded, after redirects.
    package var url: String?

    /// Creates the value.
    package init(_ head: HTTPResponse, url: String?) { (self.head, self.url) = (head, url) }
}

/// The failure of a task.
package struct SystemFailure: Sendable {
    /// The error.
    package var error: DownloadError
    /// The data to continue from, if there are any.
    package var resumeData: [UInt8]?

    /// Creates the value.
    package init(_ error: DownloadError, resumeData: [UInt8]? = nil) {
        (self.error, self.resumeData) = (error, resumeData)
    }
}
