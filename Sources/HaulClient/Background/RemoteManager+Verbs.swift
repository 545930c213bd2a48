import HaulCore
import HaulManager
import HaulWire

/// Commands, which are passed on to the daemon.
extension RemoteManager {
    func perform(_ verb: DownloadVerb, on id: DownloadID) async throws(DownloadError) {
        try await requireOwn(id)
        try await ask { client throws(DownloadError) in
            switch verb {
            case .pause: _ = try await client.pause(id)
            case .resume: _ = try await client.resume(id)
            case .cancel(let keepPartial): _ = try await client.cancel(id, keepPartial: keepPartial)
            case .remove(let files): try await client.remove(id, files: files)
            case .retry(let fromStart): _ = try await client.retry(id, fromStart: fromStart)
            }
        }
    }

    func perform(_ verb: DownloadVerb, on filter: DownloadFilter) async throws(DownloadError) -> Int {
        var request = ActionRequest(.pause, filter: ownership.filter(filter))
        switch verb {
        case .pause: break
        case .resume: request.action = .resume
        case .cancel(let keepPartial): (request.action, request.keepPartial) = (.cancel, keepPartial)
        case .remove(let files): (request.action, request.files) = (.remove, files)
        case .retry(let fromStart): (request.action, request.fromStart) = (.retry, fromStart)
        }
        let asked = request
        return try await ask { client throws(DownloadError) in try await client.act(asked) }
    }

    func replaceSource(_ id: DownloadID, _ change: SourceChange) async throws(DownloadError) {
        try await requireOwn(id)
        if change.publicAddressesOnly != nil {
            throw DownloadError(.invalidRequest, "the allowed addresses can be set only when a download is added")
        }
        var request = SourceRequest()
        (request.url, request.headers) = (change.url, change.headers)
        // Read like those of a new download.
        var spec = DownloadSpec(url: change.url ?? "", destination: .folder(path: "/"))
        (spec.password, spec.bearerToken) = (change.password, change.bearerToken)
        let read = try DownloadRequest(sending: spec)
        (request.password, request.bearerToken) = (read.password, read.bearerToken)
        let asked = request
        _ = try await ask { client throws(DownloadError) in try await client.replaceSource(id, asked) }
    }

    func set(_ id: DownloadID, priority: Int?, rateLimit: Int64?) async throws(DownloadError) {
        try await requireOwn(id)
        _ = try await ask { client throws(DownloadError) in
            try await client.change(id, ChangeRequest(priority: priority, rateLimit: rateLimit))
        }
    }

    func startNow(_ id: DownloadID) async throws(DownloadError) {
        try await requireOwn(id)
        _ = try await ask { client throws(DownloadError) in try await client.start(id) }
    }

    func move(_ id: DownloadID, to index: Int) async throws(DownloadError) {
        try await requireOwn(id)
        _ = try await ask { client throws(DownloadError) in try await client.move(id, to: max(0, index)) }
    }

    func bind(_ model: any Downloadable, to id: DownloadID) { models.bind(model, to: id) }

    /// Throws an error if a download belongs to another program, so that it is not affected by accident.
    private func requireOwn(_ id: DownloadID) async throws(DownloadError) {
        if !known.contains(id) { _ = try await snapshot(id) }
    }
}

/// Adding downloads.
extension RemoteManager {
    /// The maximum number of downloads, and of bytes, in one request: the daemon accepts one megabyte.
    private static let portion = (count: 500, bytes: 900_000)

    func add(
        contentsOf specs: some Collection<DownloadSpec> & Sendable, model: (any Downloadable)?,
        of owner: DownloadManager
    ) async throws(DownloadError) -> [Result<Download, DownloadError>] {
        try open()
        // Held before anything is sent, so that the model receives all events.
        let holdsEvents = model != nil
        if holdsEvents { holds += 1 }
        defer { if holdsEvents { release() } }
        var results: [Result<Download, DownloadError>] = []
        results.reserveCapacity(specs.count)
        var portion = AddedRequests()
        for spec in specs {
            portion.add(spec, ownership, in: workingFolder)
            guard portion.count == Self.portion.count || portion.bytes >= Self.portion.bytes / 2 else { continue }
            results += try await send(portion, model, owner)
            portion = AddedRequests()
        }
        return results + (try await send(portion, model, owner))
    }

    private func send(
        _ portion: AddedRequests, _ model: (any Downloadable)?, _ owner: DownloadManager
    ) async throws(DownloadError) -> [Result<Download, DownloadError>] {
        let requests = portion.requests
        let reported =
            requests.isEmpty ? [] : try await ask { client throws(DownloadError) in try await client.add(requests) }
        guard reported.count == requests.count else {
            throw DownloadError(
                .badResponse, "the daemon sent \(reported.count) results for \(requests.count) downloads")
        }
        var next = reported.makeIterator()
        return portion.outcomes.map { outcome in
            if case .failure(let error) = outcome { return .failure(error) }
            let result = next.next()
            guard let id = result?.id else { return .failure(result?.error ?? Self.unreported) }
            known.insert(id)
            if let model { models.bind(model, to: id) }
            return .success(Download(id: id, manager: owner, isNew: result?.isNew ?? false))
        }
    }

    private static let unreported = DownloadError(.badResponse, "the daemon did not send a result for the download")
}
