import ArgumentParser
import Haul
import HaulClient
import HaulCore
import HaulWire

/// Adds downloads in portions, and reports the result of each.
struct AddRun: Sendable {
    private let plan: AddPlan
    private let json: Bool

    /// The maximum number of downloads sent at once.
    private static let portion = 200

    /// Makes the run of a plan.
    init(_ plan: AddPlan, json: Bool) { (self.plan, self.json) = (plan, json) }

    /// Adds the downloads.
    ///
    /// - Returns: Those that are in the list now, without those that are not as requested.
    func run(_ client: DaemonClient, _ outcome: inout QueueOutcome) async throws(DownloadError) -> [DownloadID] {
        var plan = plan
        let wait = InputWait(quiet: json)
        try wait.reading(plan.plan.network.files.map(\.path)) { () throws(DownloadError) in
            try plan.plan.readSecrets(.process)
        }
        // The ways to the servers are the daemon's own.
        var queue = try wait.reading([plan.plan.list]) { () throws(DownloadError) in
            try JobQueue(
                urls: plan.plan.urls, list: plan.plan.list, template: plan.plan.template, hosts: plan.plan.hosts)
        }
        var portion: [Entry] = []
        var ids: [DownloadID] = []
        var taken = 0
        while let item = await queue.next() {
            taken += 1
            switch item {
            case .bad(let bad):
                OutputFile.standardError.write(EventText.badLine(bad) + "\n")
                outcome.note(.invalidRequest)
            case .job(let job, let spec):
                do throws(DownloadError) {
                    portion.append(Entry(job: job, request: try plan.request(spec)))
                } catch {
                    try fail(error, job, &outcome)
                }
            }
            await queue.readAhead(to: taken + 1)
            // A list may be written while it is read: what is complete does not wait for the next line.
            guard portion.count == Self.portion || queue.known == taken else { continue }
            ids += try await send(&portion, client, &outcome)
        }
        return ids + (try await send(&portion, client, &outcome))
    }

    /// Reports a download that is not added, with its place in the list.
    private func fail(_ error: DownloadError, _ job: GetJob, _ outcome: inout QueueOutcome) throws(DownloadError) {
        if json { try outcome.write(QueueOutcome.Failure(id: nil, url: job.shownURL, error: error)) }
        let line = job.line.map { EventText.place(job.list, $0) + ": " } ?? ""
        outcome.fail(error, of: line + job.shownURL)
    }

    /// A download to be added.
    private struct Entry {
        let job: GetJob
        let request: DownloadRequest
    }

    private func send(
        _ portion: inout [Entry], _ client: DaemonClient, _ outcome: inout QueueOutcome
    ) async throws(DownloadError) -> [DownloadID] {
        guard !portion.isEmpty else { return [] }
        let results = try await client.add(portion.map(\.request))
        let known = try await downloads(results.compactMap(\.id), client)
        var ids: [DownloadID] = []
        for (each, result) in zip(portion, results) {
            if let error = result.error {
                try fail(error, each.job, &outcome)
            } else if let id = result.id {
                if result.isNew == false, let earlier = known[id],
                    let error = await failure(of: earlier)
                {
                    if json {
                        try outcome.write(QueueOutcome.Failure(id: id, url: each.job.shownURL, error: error))
                    }
                    outcome.fail(error, of: each.job.shownURL)
                    continue
                }
                ids.append(id)
                let state = result.isNew == false ? known[id]?.state : nil
                if json {
                    let folder = known[id]?.request.folder
                    try outcome.write(Added(id: id, url: each.job.shownURL, already: state, folder: folder))
                } else {
                    outcome.say(
                        Self.line(
                            id, each.job.name, already: state, hasChecksum: each.request.checksum != nil,
                            to: known[id].flatMap(Self.place(of:))))
                }
            }
        }
        portion = []
        return ids
    }

    private func failure(of earlier: DownloadMessage) async -> DownloadError? {
        do throws(DownloadError) {
            try await EarlierDownload.check(earlier)
            return nil
        } catch {
            return error
        }
    }

    /// Returns downloads of the list as they are now.
    private func downloads(
        _ ids: [DownloadID], _ client: DaemonClient
    ) async throws(DownloadError) -> [DownloadID: DownloadMessage] {
        guard !ids.isEmpty else { return [:] }
        var filter = FilterMessage()
        filter.ids = ids
        let page = try await client.list(filter, limit: Self.portion)
        return Dictionary(page.downloads.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the path of a download's file, or its folder as long as the server may choose the name.
    static func place(of download: DownloadMessage) -> String? {
        download.path
            ?? download.request.folder.map { folder in
                download.request.name.map { folder + (folder.hasSuffix("/") ? "" : "/") + $0 } ?? folder
            }
    }

    /// Returns the line for one added download.
    ///
    /// - Parameter hasChecksum: True if it was added with a checksum. A finished one is only in the list if its file has it.
    static func line(
        _ id: DownloadID, _ name: String, already state: DownloadState.Kind?, hasChecksum: Bool = false,
        to place: String? = nil
    ) -> String {
        let goal = place.map { "  to \($0)" } ?? ""
        guard let state else { return "added \(id)  \(name)\(goal)" }
        let advice =
            switch state {
            case .waiting, .running: ""
            case .paused: "; to resume: haul resume \(id)"
            case .failed, .cancelled: "; to retry: haul retry \(id)"
            case .finished where hasChecksum: "; the file has this checksum"
            case .finished: "; to download it again: haul retry \(id)"
            }
        let standing = state == .finished ? "downloaded as #\(id)" : "in the list as #\(id), \(state.rawValue)"
        return "already \(standing)  \(name)\(goal)\(advice)"
    }

    /// An added download, as JSON.
    private struct Added: Encodable {
        let id: DownloadID
        let url: String
        /// Its state, if it was in the list before.
        let already: DownloadState.Kind?
        /// The folder in which it is saved.
        let folder: String?
    }
}
