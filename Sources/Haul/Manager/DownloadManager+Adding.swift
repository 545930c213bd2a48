public import HaulCore
import HaulStore

/// Adding.
extension DownloadManager {
    /// Adds a download, or finds the one that has its key.
    ///
    /// One that is there already goes on: paused, failed and cancelled ones are started again, a finished one only where its file is
    /// gone. Its options stay as they were.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` where the spec can't be right, `catalogueFailed`.
    @discardableResult
    public func add(_ spec: DownloadSpec) async throws(DownloadError) -> Download {
        try await add(contentsOf: CollectionOfOne(spec))[0].get()
    }

    /// Adds many, each as `add(_:)` would: with a result for each, in order, and never all or nothing.
    ///
    /// - Throws: `DownloadError` with code `catalogueFailed`; what was added before stays.
    @discardableResult
    public func add(
        contentsOf specs: some Collection<DownloadSpec> & Sendable
    ) async throws(DownloadError) -> [Result<Download, DownloadError>] {
        try open()
        var results: [Result<Download, DownloadError>] = []
        results.reserveCapacity(specs.count)
        var rest = specs[...]
        while !rest.isEmpty {
            results += try add(chunk: rest.prefix(5000), model: nil)
            rest = rest.dropFirst(5000)
        }
        await goOn(results)
        return results
    }

    /// Adds what a model asks for, and has the model hear of it from the first event on.
    func add(model: any Downloadable) async throws(DownloadError) -> Download {
        try open()
        let results = try add(chunk: CollectionOfOne(model.downloadSpec), model: model)
        await goOn(results)
        return try results[0].get()
    }

    /// Has those go on that were there already.
    private func goOn(_ results: [Result<Download, DownloadError>]) async {
        for case .success(let download) in results where joined.remove(download.id) != nil { await goOn(download.id) }
    }

    private func add(
        chunk specs: some Collection<DownloadSpec>, model: (any Downloadable)?
    ) throws(DownloadError) -> [Result<Download, DownloadError>] {
        var fresh: [NewRecord] = []
        var originals: [DownloadSpec] = []
        // What each spec came to: an error, or its place among those that go to the catalogue.
        var outcomes: [Result<Int, DownloadError>] = []
        for spec in specs {
            do throws(DownloadError) {
                fresh.append(try NewRecord(checking: spec))
                originals.append(spec)
                outcomes.append(.success(fresh.count - 1))
            } catch {
                outcomes.append(.failure(error))
            }
        }
        let now = WallClock.milliseconds()
        let inserted = try catalogue.insert(fresh, firstEvent: hub.last + 1, time: now)
        var events: [DownloadEvent] = []
        let handles = zip(inserted, zip(fresh, originals)).map { inserted, pair in
            take(inserted, pair.0, original: pair.1, now, &events)
        }
        if let model { for handle in handles { bind(model, to: handle.id) } }
        spread(events)
        mailbox.post(.wake)
        return outcomes.map { $0.map { handles[$0] } }
    }

    private func take(
        _ inserted: Inserted, _ record: NewRecord, original: DownloadSpec, _ now: Int64, _ events: inout [DownloadEvent]
    ) -> Download {
        switch inserted {
        case .present(let id):
            joined.insert(id)
            if record.lacksSecrets { secrets[id] = original }
            return Download(id: id, manager: self)
        case .added(let id, let position, let host, let number):
            count(record.state, 1)
            if record.lacksSecrets { secrets[id] = original }
            events.append(DownloadEvent(number: number, download: id, time: now.date, kind: .added))
            if record.state == .queued {
                scheduler.add(
                    QueueEntry(
                        id: id, position: position, priority: Int16(clamping: original.priority), host: host,
                        notBefore: original.notBefore?.milliseconds ?? 0, ignoresLimits: original.startsAtOnce))
            }
            return Download(id: id, manager: self)
        }
    }

    /// What adding does to a download that is there already.
    private func goOn(_ id: DownloadID) async {
        // It may have been removed meanwhile, and what the catalogue refuses now it tells with the next call.
        guard let record = try? catalogue.record(id) else { return }
        switch record.state {
        case .queued, .active: break
        case .paused: _ = try? command(id, .resume)
        case .failed, .cancelled, .held: _ = try? command(id, .retry(fromStart: false))
        case .finished:
            guard let path = record.place, await !engine.fileExists(at: path) else { return }
            _ = try? command(id, .retry(fromStart: false))
        }
    }
}

extension NewRecord {
    /// Parses what can be wrong with a spec before anything is fetched.
    init(checking spec: DownloadSpec) throws(DownloadError) {
        let source = try MachineConfiguration(spec).url
        guard (-1000...1000).contains(spec.priority) else {
            throw DownloadError(.invalidRequest, "priority \(spec.priority) is too far: use -1000 to 1000")
        }
        self.init(spec: spec, source: source, state: spec.startsPaused ? .paused : .queued)
    }
}
