import ArgumentParser
import Haul
import HaulClient
import HaulCore
import HaulWire

/// Adds downloads in portions, and reports the result of each.
struct AddRun: Sendable {
    private let plan: AddPlan
    private let json: Bool

    /// The number of downloads sent at once.
    private static let portion = 200

    /// Makes the run of a plan.
    init(_ plan: AddPlan, json: Bool) { (self.plan, self.json) = (plan, json) }

    func run(_ client: DaemonClient, _ outcome: inout QueueOutcome) async throws(DownloadError) {
        var plan = plan
        try plan.plan.readSecrets(.process)
        // The ways to the servers are the daemon's own.
        var queue = try JobQueue(
            urls: plan.plan.urls, list: plan.plan.list, template: plan.plan.template, hosts: plan.plan.hosts)
        var portion: [(job: GetJob, request: DownloadRequest)] = []
        while let item = await queue.next() {
            switch item {
            case .bad(let bad):
                OutputFile.standardError.write(EventText.badLine(bad) + "\n")
                outcome.note(.invalidRequest)
            case .job(let job, let spec): portion.append((job, try plan.request(spec)))
            }
            if portion.count == Self.portion { try await send(&portion, client, &outcome) }
        }
        try await send(&portion, client, &outcome)
    }

    private func send(
        _ portion: inout [(job: GetJob, request: DownloadRequest)], _ client: DaemonClient,
        _ outcome: inout QueueOutcome
    ) async throws(DownloadError) {
        guard !portion.isEmpty else { return }
        let results = try await client.add(portion.map(\.request))
        let known = try await states(results.filter { $0.isNew == false }.compactMap(\.id), client)
        for (each, result) in zip(portion, results) {
            if let error = result.error {
                if json { try outcome.write(QueueOutcome.Failure(id: nil, url: each.job.shownURL, error: error)) }
                let line = each.job.line.map { EventText.place(each.job.list, $0) + ": " } ?? ""
                outcome.fail(error, of: line + each.job.shownURL)
            } else if let id = result.id {
                let state = known[id]
                if json {
                    try outcome.write(Added(id: id, url: each.job.shownURL, already: state))
                } else {
                    outcome.say(Self.line(id, each.job.name, already: state))
                }
            }
        }
        portion = []
    }

    /// Returns the states of downloads that were in the list before.
    private func states(
        _ ids: [DownloadID], _ client: DaemonClient
    ) async throws(DownloadError) -> [DownloadID: DownloadState.Kind] {
        guard !ids.isEmpty else { return [:] }
        var filter = FilterMessage()
        filter.ids = ids
        let page = try await client.list(filter, limit: Self.portion)
        return Dictionary(page.downloads.map { ($0.id, $0.state) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the line for one added download.
    static func line(_ id: DownloadID, _ name: String, already state: DownloadState.Kind?) -> String {
        guard let state else { return "added \(id)  \(name)" }
        let advice =
            switch state {
            case .waiting, .running: ""
            case .paused: "; to resume: haul resume \(id)"
            case .failed, .cancelled: "; to retry: haul retry \(id)"
            case .finished: "; to download it again: haul retry \(id)"
            }
        let place = state == .finished ? "downloaded as #\(id)" : "in the list as #\(id), \(state.rawValue)"
        return "already \(place)\(advice)  \(name)"
    }

    /// An added download, as JSON.
    private struct Added: Encodable {
        let id: DownloadID
        let url: String
        /// Its state, if it was in the list before.
        let already: DownloadState.Kind?
    }
}
