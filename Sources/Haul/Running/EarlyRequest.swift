import HaulCore
import HaulTransport

/// A request that is under way before there is a run that would have sent it.
struct EarlyRequest: Sendable {
    /// What was asked: what a machine asks first where there is nothing to go on from.
    let plan: FetchPlan
    /// What hears the answer.
    let response: ProbeResponseSink
    /// Its transfer.
    let handle: any TransferHandle

    /// What a machine asks first of all for a file that it knows nothing of.
    static func plan(_ configuration: MachineConfiguration) -> FetchPlan {
        FetchPlan(asking: RangeRequest(offset: 0, usesRange: false), of: configuration.url, redirects: [])
    }

    /// Whether the answer is the one to what a machine wants to ask.
    func serves(_ plan: FetchPlan) -> Bool { plan.url == self.plan.url && plan.ask == self.plan.ask }

    /// Gives what has come, and what will, to the sink of a run.
    ///
    /// - Returns: the handle of the transfer from now on.
    func leave(to successor: any TransferSink) -> any TransferHandle {
        response.leave(to: successor)
        let successors = SuccessorHandle(response: response, handle: handle)
        successors.wake()
        return successors
    }
}

/// The handle of a transfer that another sink has heard the beginning of.
private struct SuccessorHandle: TransferHandle {
    let response: ProbeResponseSink
    let handle: any TransferHandle

    func cancel() { response.cancel(handle) }
    func wake() { response.wake(handle) }
}
