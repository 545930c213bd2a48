import Haul
import HaulCore
import Synchronization

extension Aria2RPC {
    func getOption(_ parameters: Aria2Parameters) async throws(Aria2Failure) -> JSON {
        let found = try await snapshot(parameters)
        return Aria2ReportedOptions.json(Aria2ReportedOptions.options(of: found, common: options), .download)
    }

    /// Returns the global options.
    ///
    /// Settings of the manager may have been changed by other clients, so their current values are returned.
    func getGlobalOption() async throws(Aria2Failure) -> JSON {
        let settings = try await reported { () throws(DownloadError) in try await manager.currentSettings }
        var reported = options
        // Without a limit, aria2's largest number is reported.
        for (name, value) in [
            ("max-concurrent-downloads", settings.limit.map(String.init) ?? String(Int32.max)),
            ("max-overall-download-limit", String(settings.rateLimit ?? 0)),
            ("dir", reported["dir"] ?? configuration.roots.folder),
        ] {
            guard let option = Aria2Option.named(name) else { continue }
            try? reported.take(option, value)
        }
        return Aria2ReportedOptions.json(reported, [])
    }

    func changeGlobalOption(_ parameters: Aria2Parameters) async throws(Aria2Failure) -> JSON {
        let given = try Aria2Options(try parameters.object(0), .global)
        let number = order.withLock { $0.begin() }
        try refuseOtherProxies(given)
        if let dir = given["dir"] { try await requireInside(dir) }
        if let path = given["save-session"] { try await checkSession(path) }
        guard order.withLock({ $0.finish(number, of: given.names) }) else {
            throw .refused("A later aria2.changeGlobalOption was carried out while the disk did not respond")
        }
        func ifGiven(_ name: String) -> Int64? { given[name] == nil ? nil : given.number(name) }
        let (jobs, rate) = (ifGiven("max-concurrent-downloads"), ifGiven("max-overall-download-limit"))
        if jobs != nil || rate != nil {
            try await reported { () throws(DownloadError) in try await changeSettings(jobs: jobs, rate: rate) }
        }
        common.withLock { $0.take(given) }
        return Self.done
    }

    private func changeSettings(jobs: Int64?, rate: Int64?) async throws(DownloadError) {
        if let change = configuration.changeSettings { return try await change(jobs, rate) }
        var settings = try await manager.currentSettings
        let before = settings
        if let jobs { settings.limit = Int(min(jobs, Int64(Int32.max))) }
        if let rate { settings.rateLimit = rate > 0 ? rate : nil }
        if settings != before { try await manager.update(settings) }
    }

    /// Checks the session path of a client that may write only into some folders: it must be inside these, and its name
    /// must neither hide the file nor be executed automatically.
    private func checkSession(_ path: String) async throws(Aria2Failure) {
        guard configuration.roots.roots != nil else { return }
        // If nothing saves sessions, the option would be ignored.
        guard configuration.saveSession != nil else { throw .option("save-session") }
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        guard path.hasPrefix("/"), FileName.safe(name) == name, !name.hasPrefix(".") else {
            throw .option("save-session")
        }
        try await requireInside(path)
    }

    private func requireInside(_ folder: String) async throws(Aria2Failure) {
        let roots = configuration.roots
        _ = try await roots.onDisk(of: folder) { () throws(Aria2Failure) in try roots.dir(folder) }
    }

    /// Changes options of a download.
    ///
    /// A rate limit applies at once; for other options, an active download is restarted.
    func changeOption(_ parameters: Aria2Parameters) async throws(Aria2Failure) -> JSON {
        let found = try await snapshot(parameters)
        let given = try Aria2Options(try parameters.object(1), .change)
        guard !found.state.isFinal else { throw .refused("Cannot change option for GID#\(GID(of: found))") }
        try refuseOtherProxies(given)
        var names = Set(given.names)
        if names.remove("max-download-limit") != nil {
            let limit = given.number("max-download-limit")
            try await reported { () throws(DownloadError) in try await manager.set(found.id, rateLimit: limit) }
        }
        guard !names.isEmpty else { return Self.done }
        var effective = Aria2ReportedOptions.options(of: found, common: options)
        // A list that is given replaces the previous one.
        for name in names { effective.forget(name) }
        effective.take(given)
        let maker = Aria2Spec(roots: configuration.roots, options: effective)
        try await change(found, maker, names, given)
        return Self.done
    }

    private func change(
        _ found: DownloadSnapshot, _ maker: Aria2Spec, _ names: Set<String>, _ given: Aria2Options
    ) async throws(Aria2Failure) {
        // A snapshot has no secrets, and those that are not changed must remain.
        let full = try await reported { () throws(DownloadError) in try await manager.fullSpec(found.id) }
        let tried = try await applied(names, maker, to: full)
        if tried.destination != found.spec.destination {
            guard found.progress.fileBytes == 0 else {
                throw .refused("The options 'dir' and 'out' can't be changed after data was downloaded.")
            }
            try await make(Aria2Roots.folder(of: tried.destination), in: maker.roots)
        }
        if case .waiting(let reason) = found.state, reason.needsSource {
            // The missing source or credentials were given: the download continues.
            let (headers, password) = (tried.headers, tried.password)
            return try await reported { () throws(DownloadError) in
                try await manager.replaceSource(found.id, headers: headers, password: password)
            }
        }
        let others = names.subtracting(Aria2Spec.place)
        try await rewrite(found) { spec throws(DownloadError) in
            if others.count < names.count { spec.destination = tried.destination }
            do throws(Aria2Failure) { try maker.apply(others, to: &spec) } catch {
                throw DownloadError(.invalidRequest, error.message)
            }
            var kept = Aria2ReportedOptions.given(spec)
            kept.take(given)
            spec.tags = spec.tags.filter { !Aria2ReportedOptions.isOption(tag: $0) }.union(
                Aria2ReportedOptions.tags(of: kept))
        }
    }

    /// Changes the spec of a download.
    ///
    /// An active one is restarted, unless its request must not be repeated: then nothing changes.
    func rewrite(
        _ found: DownloadSnapshot, _ change: @escaping @Sendable (inout DownloadSpec) throws(DownloadError) -> Void
    ) async throws(Aria2Failure) {
        let message = "Cannot change option for GID#\(GID(of: found))"
        try await reported(else: message) { () throws(DownloadError) in
            do throws(DownloadError) {
                return try await manager.rewrite(found.id, change)
            } catch {
                guard error.code == .notPossible, found.spec.mayRepeat else { throw error }
            }
            try await rewriteStopped(found.id, change)
        }
    }

    /// Changes the spec of a download whose run is stopping, or must stop because its path changes.
    private func rewriteStopped(
        _ id: DownloadID, _ change: @Sendable (inout DownloadSpec) throws(DownloadError) -> Void
    ) async throws(DownloadError) {
        // A command without effect waits until a run that is stopping has stopped. The download is not paused for this:
        // it would stay paused if this process were killed.
        if case .paused = try await manager.snapshot(id).state {
            try await manager.pause(id)
        } else {
            try await manager.resume(id)
        }
        do throws(DownloadError) { return try await manager.rewrite(id, change) } catch {
            guard error.code == .notPossible else { throw error }
        }
        // A download that another client has paused is not resumed.
        let mustResume = try await manager.pause(.ids([id])) > 0
        do throws(DownloadError) { try await manager.rewrite(id, change) } catch {
            if mustResume { try await manager.resume(id) }
            throw error
        }
        if mustResume { try await manager.resume(id) }
    }
}

extension WaitReason {
    /// True if the download needs a new source or credentials to continue.
    fileprivate var needsSource: Bool {
        switch self {
        case .credentials, .linkExpired: true
        case .turn, .host, .connections, .start, .notBefore, .dependency, .space, .openFiles, .network, .meteredNetwork,
            .serverAsked, .retrying:
            false
        }
    }
}
