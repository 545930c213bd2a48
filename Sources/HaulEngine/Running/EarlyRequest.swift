import HaulCore
import HaulTransport

/// A request that was sent before the run was created.
struct EarlyRequest: Sendable {
    /// The plan of the request: the machine's first one if there is nothing to resume.
    let plan: FetchPlan
    /// The sink that receives the response.
    let response: ProbeResponseSink
    /// The handle of the transfer.
    let handle: any TransferHandle

    /// Returns the machine's first request for a file of which nothing is known.
    static func plan(_ configuration: MachineConfiguration) -> FetchPlan {
        FetchPlan(asking: RangeRequest(offset: 0, usesRange: false), of: configuration.url, redirects: [])
    }

    /// Returns true if the response can be used for a machine's request.
    func serves(_ plan: FetchPlan) -> Bool { plan.url == self.plan.url && plan.ask == self.plan.ask }

    /// Passes everything received so far, and everything to come, to the sink of a run.
    ///
    /// - Returns: The handle of the transfer from now on.
    func leave(to successor: any TransferSink) -> any TransferHandle {
        response.leave(to: successor)
        let successors = SuccessorHandle(response: response, handle: handle)
        successors.wake()
        return successors
    }
}

/// The handle of a transfer whose start another sink has received.
private struct SuccessorHandle: TransferHandle {
    let response: ProbeResponseSink
    let handle: any TransferHandle

    func cancel() { response.cancel(handle) }
    func wake() { response.wake(handle) }
}
