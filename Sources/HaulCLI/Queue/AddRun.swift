import ArgumentParser
import Haul
import HaulClient
import HaulCore
import HaulWire

/// Adds one portion after the other, and says what became of each.
struct AddRun: Sendable {
    private let plan: AddPlan
    private let json: Bool

    /// How many are sent at once.
    private static let portion = 200

    /// Makes the run of a plan.
    init(_ plan: AddPlan, json: Bool) { (self.plan, self.json) = (plan, json) }

    func run(_ client: DaemonClient, _ outcome: inout QueueOutcome) async throws(DownloadError) {
        var plan = plan
        try plan.plan.readSecrets(.process)
        // The ways to the servers are the daemon's own.
        var queue = try JobQueue(urls: plan.plan.urls, list: plan.plan.list, template: plan.plan.template)
        var portion: [(job: Job, request: DownloadRequest)] = []
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
        _ portion: inout [(job: Job, request: DownloadRequest)], _ client: DaemonClient, _ outcome: inout QueueOutcome
    ) async throws(DownloadError) {
        guard !portion.isEmpty else { return }
        let results = try await client.add(portion.map(\.request))
        for (each, result) in zip(portion, results) {
            if let error = result.error {
                if json { try outcome.write(QueueOutcome.Failure(id: nil, url: each.job.shownURL, error: error)) }
                outcome.fail(error, of: each.job.shownURL)
            } else if let id = result.id {
                if json {
                    try outcome.write(Added(id: id, url: each.job.shownURL))
                } else {
                    outcome.say("added \(id)  \(each.job.name)")
                }
            }
        }
        portion = []
    }

    /// What was added, as JSON.
    private struct Added: Encodable {
        let id: DownloadID
        let url: String
    }
}
