import Foundation
import Haul
import HaulAria2
import HaulCLI
import HaulCore
import Synchronization

/// One run of aria2c: adds the downloads and reports their progress and results; meanwhile clients may call.
///
///     arguments ─► downloads ─┐
///     clients ────► RPC ──────┴─► manager ─► notifications ─► log, table, exit code
final class Aria2Run: Sendable {
    /// The reasons for the end of a run.
    enum End: Hashable, Sendable {
        /// All downloads are done.
        case done
        /// A signal, a client, or a time limit ended the run.
        case asked
        /// The server could not listen.
        case noServer
    }

    let plan: Aria2Plan
    let manager: DownloadManager
    let rpc: Aria2RPC
    let console: Aria2Console
    let sessions = Aria2SessionFile()
    let results = Mutex(Aria2Results())
    /// The error that occurred before there was a download.
    let refused = Mutex<Aria2ErrorCode?>(nil)
    /// The wait for lists and Metalinks.
    let input: InputWait
    /// The wait for the files that each download reads, until one of them has done so.
    private let access: InputWait
    private let accessFiles: [String?]
    /// True if all downloads of the command line have been added.
    private let hasAll = Mutex(false)
    /// The downloads of Metalinks whose files follow, and those that have ended.
    private let metalinks = Mutex((expected: Set<GID>(), ended: Set<GID>()))
    private let ends: AsyncStream<End>
    private let end: AsyncStream<End>.Continuation

    /// Creates a run.
    ///
    /// - Throws: `DownloadError` with code `fileFailed` if the log cannot be opened.
    init(_ plan: Aria2Plan, _ manager: DownloadManager, netrc: String?) throws(DownloadError) {
        self.plan = plan
        self.manager = manager
        console = try Aria2Console(plan.options, folder: plan.folder)
        let console = console
        input = InputWait { console.log(.notice, $0) }
        access = InputWait { console.log(.notice, $0) }
        let template = plan.template(netrc: netrc)
        accessFiles = [template.netrcPath, template.cookiePath, template.clientCertificatePath, template.clientKeyPath]
        let (ends, end) = AsyncStream.makeStream(of: End.self, bufferingPolicy: .bufferingOldest(1))
        var interface = plan.interface(netrc: netrc)
        interface.shutdown = { _ in end.yield(.asked) }
        interface.saveSession = { [sessions] path throws(Aria2Failure) in try await sessions.save(to: path) }
        rpc = Aria2RPC(manager, interface)
        sessions.rpc = rpc
        (self.ends, self.end) = (ends, end)
    }

    /// Runs until the end, and returns the exit code.
    func run() async -> Aria2ErrorCode {
        let signals = SignalWatcher()
        signals.start(
            stop: { [end] _ in end.yield(.asked) }, resumed: {},
            isBlocked: { [input, access] in input.isBlocked || access.isBlocked })
        access.begin(reading: accessFiles)
        let reported = Aria2Notifications(manager)
        let reason = await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await self.receive(reported) }
            tasks.addTask { await self.tick() }
            for warning in plan.warnings { console.log(.warn, warning) }
            if let warning = plan.listeningWarning { console.log(.warn, warning) }
            if let idle = plan.idleOptions { console.log(.notice, idle) }
            await Aria2Intake(self).addAll()
            hasAll.withLock { $0 = true }
            // As in aria2: a client that gets an answer sees all downloads of the session.
            if plan.options.isSet("enable-rpc") { tasks.addTask { await self.serve() } }
            await lookForEnd()
            var reason = End.done
            for await end in ends {
                reason = end
                break
            }
            tasks.cancelAll()
            return reason
        }
        // Files that can't be read keep the downloads from ending; then another signal ends the program.
        await finish()
        signals.end()
        if reason == .noServer { return .unknown }
        let code = results.withLock { $0.exitCode }
        return code == .none || code == .unfinished ? refused.withLock { $0 } ?? code : code
    }

    // MARK: - While it runs

    private func receive(_ notifications: Aria2Notifications) async {
        for await next in notifications {
            access.end()
            switch next.notification {
            case .start:
                // A download that was removed meanwhile has no URL.
                let snapshot = try? await manager.snapshot(next.id)
                let name = snapshot.map { Aria2Texts.name(of: $0) } ?? "#\(next.gid.short)"
                console.log(.info, "Download of \(name) started")
                checkHook(.started)
            case .pause, .stop, .complete, .error:
                // A download that was removed meanwhile is not reported.
                if let snapshot = try? await manager.snapshot(next.id) {
                    ended(snapshot)
                    await follow(snapshot)
                }
            }
            await lookForEnd()
        }
    }

    private func ended(_ snapshot: DownloadSnapshot) {
        let name = Aria2Texts.name(of: snapshot)
        switch snapshot.state {
        case .finished(let facts):
            console.log(.info, "Download of \(name) is complete")
            // Scripts read this line, so it is aria2's.
            console.log(.notice, "Download complete: \(facts.path)")
        case .failed(let error):
            console.log(.error, "Download of \(name) failed: \(error.description)\(Self.advice(after: error))")
        case .waiting, .running, .paused, .cancelled:
            if let failure = snapshot.state.failure {
                console.log(.error, "Download of \(name) is waiting: \(failure.description)")
            }
        }
        if snapshot.state.isFinal { results.withLock { $0.take(snapshot) } }
        switch snapshot.state {
        case .finished: checkHook(.completed)
        case .failed: checkHook(.failed)
        case .waiting, .running, .paused, .cancelled: break
        }
    }

    /// Returns true if a file is named like a Metalink.
    static func isMetalink(_ path: String) -> Bool { [".metalink", ".meta4"].contains(where: path.hasSuffix) }

    /// Lets the run continue until a download has ended whose URI looks like that of a Metalink.
    ///
    /// - Parameter given: The options of the download.
    func expectMetalink(_ gid: GID, _ given: Aria2Options) {
        guard rpc.followsMetalink(given) else { return }
        metalinks.withLock { if !$0.ended.contains(gid) { $0.expected.insert(gid) } }
    }

    /// Adds the files of a Metalink that was downloaded.
    private func follow(_ snapshot: DownloadSnapshot) async {
        if case .finished(let facts) = snapshot.state, Self.isMetalink(facts.path),
            rpc.followsMetalink(Aria2ReportedOptions.given(snapshot.spec))
        {
            let folder = facts.path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            let roots = plan.options.isSet("enable-rpc") ? nil : Aria2Roots(folder: plan.folder, roots: nil)
            do throws(Aria2Failure) {
                guard facts.totalBytes <= Metalink.maxBytes,
                    let bytes = FileManager.default.contents(atPath: facts.path)
                else { throw .refused("The Metalink file \(facts.path) is too large, or can't be read.") }
                let added = try await rpc.follow(
                    snapshot, Array(bytes), into: folder.joined(separator: "/") + "/", in: roots)
                console.log(.notice, "Following the Metalink \(facts.path): \(added.count) item(s)")
            } catch {
                console.log(.error, error.message + (error.detail.map { " \($0)" } ?? ""))
                refused.withLock { $0 = .metalink }
            }
        }
        guard snapshot.state.isFinal else { return }
        let gid = GID(of: snapshot)
        metalinks.withLock {
            $0.expected.remove(gid)
            $0.ended.insert(gid)
        }
    }

    /// Returns a clause with the option that helps after an error, or an empty text.
    private static func advice(after error: DownloadError) -> String {
        switch error.detail {
        case .certificateExpired, .certificateNotYetValid, .certificateForOtherHost:
            "; to accept it: --check-certificate=false"
        case .certificateSelfSigned, .certificateAuthorityUnknown:
            "; to trust it: --ca-certificate=FILE; to accept it without a check: --check-certificate=false"
        case .loginNeeded: "; to log in: --http-user=NAME --http-passwd=PASSWORD"
        default: ""
        }
    }

    /// Says so if the hook of an event cannot be executed, in aria2's words.
    private func checkHook(_ event: HookEvent) {
        guard let program = plan.hookProgram(for: event), let reason = Aria2Process.reasonNotToExecute(program) else {
            return
        }
        console.complain("Could not execute user command: \(program): \(reason)")
    }

    /// Ends the run if no download will continue by itself, unless clients can call.
    func lookForEnd() async {
        guard !plan.options.isSet("enable-rpc"), hasAll.withLock({ $0 }), metalinks.withLock({ $0.expected.isEmpty })
        else { return }
        // A single query: between two, a download could move from one list to the other, and be in neither.
        let rest = (try? await manager.snapshots(.state(.waiting, .running), limit: 1000)) ?? []
        guard rest.allSatisfy({ Aria2State($0.state) == .paused }) else { return }
        end.yield(.done)
    }

    private func serve() async {
        let port = Int(plan.options.number("rpc-listen-port"))
        let host = plan.listensEverywhere ? "0.0.0.0" : "127.0.0.1"
        let server = Aria2Server(Aria2HTTP(rpc, access: plan.access), at: .init(host: host, port: port))
        do {
            try await server.run { [console] in console.log(.notice, "IPv4 RPC: listening on TCP port \($0)") }
        } catch {
            let reason = Aria2Server.reason(error)
            console.log(
                .error,
                "IPv4 RPC: failed to bind TCP port \(port): \(reason); choose another one with --rpc-listen-port")
            end.yield(.noServer)
        }
    }

    /// Runs periodic work once a second: the readout, saving, and the conditions for ending.
    private func tick() async {
        let (stop, process) = (plan.options.number("stop"), plan.options.number("stop-with-process"))
        let save = plan.options.number("save-session-interval")
        let summary = plan.options.number("summary-interval")
        var second: Int64 = 0
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(1))
            guard !Task.isCancelled else { return }
            second += 1
            console.setLogLevel(rpc.options)
            await show()
            if summary > 0, second % summary == 0 { await showSummary() }
            if save > 0, second % save == 0 { await saveSession() }
            if stop > 0, second >= stop { end.yield(.asked) }
            if process > 0, !Aria2Process.isAlive(process) { end.yield(.asked) }
        }
    }

    private func show() async { console.show(await readout()?.text ?? "") }

    /// Shows all running downloads and their paths.
    private func showSummary() async {
        guard plan.options.isSet("show-console-readout"), let readout = await readout() else { return }
        console.write(readout.summary(at: Aria2Console.date()))
    }

    private func readout() async -> Aria2Readout? {
        guard let running = try? await manager.snapshots(.state(.running), limit: 100),
            let summary = try? await manager.summary()
        else { return nil }
        return Aria2Readout(
            running, speed: summary.speed, isReadable: plan.options.isSet("human-readable"))
    }

    // MARK: - At the end

    /// Stops the unfinished downloads, keeps their partial files, saves the session, and reports all results.
    private func finish() async {
        let speeds = await stopDownloads()
        await saveSession()
        // The run may end before the last notifications were received.
        let ends = await Self.all(.state(.finished, .failed, .cancelled), of: manager)
        let known = Set(results.withLock { $0.rows.map(\.gid) })
        for snapshot in ends where !known.contains(GID(of: snapshot)) { ended(snapshot) }
        let left = await Self.all(.state(.waiting, .running, .paused), of: manager)
        for snapshot in left { results.withLock { $0.take(snapshot, speed: speeds[snapshot.id]) } }
        if let listed = try? await listedGIDs() { results.withLock { $0.keep(listed) } }
        let form = rpc.options.effective("download-result")
        if form != "hide" { console.write(results.withLock { $0.text(isFull: form == "full") }) }
    }

    /// Stops the downloads that have not ended, and waits for their runs: a file that is completed meanwhile is
    /// reported as complete, and is not part of the session.
    ///
    /// - Returns: The average speed of each until then.
    private func stopDownloads() async -> [DownloadID: Double] {
        let unfinished = DownloadFilter.state(.waiting, .running)
        let left = await Self.all(unfinished, of: manager).filter { Aria2State($0.state) != .paused }
        sessions.willStop(left.map(\.id))
        _ = try? await manager.pause(unfinished)
        // A download that is moved between two pages may be in both.
        return Dictionary(left.map { ($0.id, $0.progress.averageSpeed) }, uniquingKeysWith: { $1 })
    }

    /// Returns all downloads that match a filter; those of the pages before, if one cannot be read.
    ///
    /// - Parameter page: The number of downloads that are read at once.
    static func all(
        _ filter: DownloadFilter, of manager: DownloadManager, page: Int = 1000
    ) async -> [DownloadSnapshot] {
        var (result, last): ([DownloadSnapshot], DownloadID?) = ([], nil)
        repeat {
            let after = last
            let next = (try? await manager.snapshots(filter, after: after, limit: page)) ?? []
            result += next
            last = next.last?.id
        } while last != nil
        return result
    }

    /// Returns the GIDs of all downloads in the list: results that clients have removed do not count, as in aria2.
    private func listedGIDs() async throws(DownloadError) -> Set<GID> {
        var (gids, last): (Set<GID>, DownloadID?) = ([], nil)
        repeat {
            let after = last
            let page = try await manager.snapshots(after: after, limit: 1000)
            gids.formUnion(page.map { GID(of: $0) })
            last = page.last?.id
        } while last != nil
        return gids
    }

    private func saveSession() async {
        guard let path = rpc.options["save-session"] else { return }
        do throws(Aria2Failure) { try await rpc.configuration.saveSession?(path) } catch {
            console.log(.error, error.message)
        }
    }
}
