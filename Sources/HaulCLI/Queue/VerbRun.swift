import ArgumentParser
import HaulClient
import HaulCore
import HaulWire

/// Applies one action to the selected downloads: to numbered ones one by one, to all matching ones in one request.
struct VerbRun: Sendable {
    /// The word shown when it is done, such as `paused`.
    let past: String
    /// The action requested for many downloads.
    let action: ActionRequest
    /// The request for one download; returns nil if there is nothing to show of it afterwards.
    let one: @Sendable (DaemonClient, DownloadID) async throws(DownloadError) -> DownloadMessage?

    func run(_ options: SelectionOptions, json: Bool) async throws {
        let selection = try options.selection(isNeeded: true)
        try await QueueProgram.run { (client, outcome) throws(DownloadError) in
            switch selection {
            case .ids(let ids):
                var failures = FailureGroups()
                for id in ids { try await change(id, client, json, &outcome, &failures) }
                outcome.fail(failures)
            case .filter(let filter): try await change(filter, client, json, outcome)
            case .all, .unsaid: try await change(nil, client, json, outcome)
            }
        }
    }

    private func change(
        _ id: DownloadID, _ client: DaemonClient, _ json: Bool, _ outcome: inout QueueOutcome,
        _ failures: inout FailureGroups
    ) async throws(DownloadError) {
        do throws(DownloadError) {
            let message = try await one(client, id)
            if !json {
                outcome.say("\(past) \(id)" + (message.map { "  \($0.name)\(Self.rest(of: $0))" } ?? ""))
            } else if let message {
                try outcome.write(message)
            } else {
                try outcome.write(["id": id])
            }
        } catch {
            // Without a daemon, the remaining requests would fail too.
            guard error.code != .connectionFailed else { throw error }
            if json { try outcome.write(QueueOutcome.Failure(id: id, error: error)) }
            failures.add(id, error, advice: await advice(after: error, id, client))
        }
    }

    /// Returns the remark that a download does not run yet, with the command that changes that.
    private static func rest(of download: DownloadMessage) -> String {
        guard download.state == .waiting, let wait = download.wait, let command = download.whatToType else { return "" }
        return "; it waits: \(wait.message): \(command)"
    }

    /// Returns the command for a download that waits for something that only the user can provide.
    private func advice(after error: DownloadError, _ id: DownloadID, _ client: DaemonClient) async -> String? {
        guard error.code == .notPossible, let download = try? await client.show(id), download.state == .waiting else {
            return nil
        }
        return download.whatToType
    }

    private func change(
        _ filter: FilterMessage?, _ client: DaemonClient, _ json: Bool, _ outcome: QueueOutcome
    ) async throws(DownloadError) {
        var request = action
        request.filter = filter
        request.all = filter == nil ? true : nil
        let changed = try await client.act(request)
        guard json else { return outcome.say("\(past) \(changed) download\(changed == 1 ? "" : "s")") }
        try outcome.write(ActionMessage(changed: changed))
    }
}
