import HaulClient
import HaulCore
import HaulServer

/// Starts a daemon in the background.
struct DaemonStart {
    private let setup: DaemonSetup
    /// True if the options of the last start are discarded.
    private let resets: Bool

    /// Takes the options.
    init(_ options: DaemonOptions, resets: Bool) { (setup, self.resets) = (DaemonSetup(options), resets) }

    /// Checks the options, with those of the last start, as `haul daemon check` does.
    ///
    /// - Returns: The check, and the advice about the options of the last start, if they apply.
    /// - Throws: `DownloadError` for a file that can't be read, or an option that was not kept.
    func check() throws(DownloadError) -> (check: ConfigurationCheck, advice: String?) {
        let own = try setup.check()
        guard let paths = own.configuration?.paths, !resets else { return (own, nil) }
        let next = try setup.continuing(try Self.record(paths))
        return (try next.check(), Self.advice(next.arguments(notIn: setup)))
    }

    private static func advice(_ taken: [String]) -> String? {
        guard !taken.isEmpty else { return nil }
        return "the options of the last start apply, too (\(taken.joined(separator: " "))): \(discarding)"
    }

    private static let discarding = "to discard them, haul daemon start --reset"

    /// Returns the options of the last start; nil if there are none.
    ///
    /// - Throws: `DownloadError` with code `fileFailed` if they can't be read: with others, downloads in the list might
    ///   not find their roots.
    private static func record(_ paths: DaemonPaths) throws(DownloadError) -> DaemonRecord? {
        do throws(DownloadError) { return try DaemonRecord(path: paths.record) } catch {
            throw DownloadError(error.code, "\(error.message); \(discarding)", cause: error.cause)
        }
    }

    /// Returns the options, with those of the last start, and the configuration that they make.
    ///
    /// Errors that can be detected now are reported here, not only in the log.
    private func prepared(
        _ record: DaemonRecord?
    ) throws(DownloadError) -> (setup: DaemonSetup, configuration: DaemonConfiguration, taken: [String]) {
        let next = resets ? setup : try setup.continuing(record)
        let taken = next.arguments(notIn: setup)
        do throws(DownloadError) {
            let configuration = try next.configuration()
            _ = try FolderRoots(configuration.roots, making: configuration.defaultRoot)
            return (next, configuration, taken)
        } catch {
            guard let advice = Self.advice(taken) else { throw error }
            throw DownloadError(error.code, "\(error.message); \(advice)", cause: error.cause)
        }
    }

    /// Starts the daemon, and returns the exit code.
    func run() async -> Int32 {
        DaemonOutput.warn(EnvironmentNames.warnings(setup.environment))
        do throws(DownloadError) {
            let own = try setup.check()
            guard let paths = own.configuration?.paths else { return DaemonOutput.fail(own.problems) }
            if try await isRunning(paths) { return ExitCode.complete.rawValue }
            if try !joins(paths) {
                let (check, advice) = try check()
                guard check.problems.isEmpty else { return DaemonOutput.fail(check.problems, note: advice) }
                do throws(DownloadError) { try await start() } catch {
                    // Another start was faster.
                    guard error.code == .catalogueBusy, try await isRunning(paths) else { throw error }
                }
            }
            return ExitCode.complete.rawValue
        } catch {
            return DaemonOutput.fail(error)
        }
    }

    /// Returns true if a daemon has the state folder, and says so.
    ///
    /// - Throws: As `compare` and `running`.
    private func isRunning(_ paths: DaemonPaths) async throws(DownloadError) -> Bool {
        guard let pid = try await Self.running(paths) else { return false }
        if let record = try DaemonRecord(path: paths.record) {
            try compare(try setup.configuration(), with: record, of: pid)
        }
        let ignored = resets ? "; --reset was ignored: use haul daemon restart --reset" : ""
        DaemonOutput.say("a daemon is already running (process \(pid))\(ignored)")
        return true
    }

    /// Returns the process of the daemon that has the state folder, once it responds; nil if no daemon has it.
    ///
    /// - Throws: `DownloadError` with code `catalogueBusy` if it does not listen, or `timedOut` if it does not respond.
    private static func running(_ paths: DaemonPaths) async throws(DownloadError) -> Int32? {
        let end = ContinuousClock.now + .seconds(5)
        while let pid = DaemonLock.holder(path: paths.lock) {
            // One that is starting has no record of this start yet, and listens within moments.
            let socket = try DaemonRecord(path: paths.record)?.socket ?? paths.socket
            if SocketClaim.answers(socket), try await responds(socket) { return pid }
            guard ContinuousClock.now < end else {
                throw DownloadError(
                    .catalogueBusy,
                    "a daemon (process \(pid)) has the state folder \(paths.stateFolder), but does not listen at "
                        + "\(socket): if it was killed, it ends when its disk responds; otherwise see its log")
            }
            // Polled: neither its end nor its readiness is an event for this process.
            try? await Task.sleep(for: .milliseconds(20))
        }
        return nil
    }

    /// Returns true if a daemon responds; false if it ends.
    private static func responds(_ socket: String) async throws(DownloadError) -> Bool {
        let client = DaemonClient(forCommandAt: socket)
        var failure: DownloadError?
        do throws(DownloadError) { _ = try await client.info() } catch { failure = error }
        await client.close()
        if let failure, failure.code == .timedOut { throw failure }
        return failure?.code != .connectionFailed
    }

    /// Returns true if another daemon, such as a service that several users share, listens at the socket that is named.
    ///
    /// - Throws: `DownloadError` with code `notPossible` if it can't have the options given.
    private func joins(_ paths: DaemonPaths) throws(DownloadError) -> Bool {
        guard setup.hasStandardStateFolder(paths), SocketClaim.answers(paths.socket) else { return false }
        let socket = "a daemon is already listening at \(paths.socket)"
        let asked = setup.askedSettings.keys.map(\.rawValue).sorted() + (resets ? ["reset"] : [])
        guard asked.isEmpty else {
            throw DownloadError(
                .notPossible,
                "\(socket), and is not one of haul daemon start (\(asked.joined(separator: ", "))): change its own "
                    + "configuration, or choose another socket and state folder")
        }
        DaemonOutput.say(socket)
        return true
    }

    /// Starts the daemon where none is running.
    func start() async throws(DownloadError) {
        let record = resets ? nil : try Self.record(try setup.configuration().paths)
        let (setup, configuration, taken) = try prepared(record)
        if !taken.isEmpty {
            let options = taken.joined(separator: " ")
            DaemonOutput.say("starting with the options of the last start (\(options)); --reset discards them")
        }
        if let root = setup.askedSettings[.roots]?.first {
            DaemonOutput.say("downloads without a folder are saved in \(root)")
        }
        // Options given now take precedence over settings that were changed while an earlier daemon ran.
        let asked = self.setup.askedSettings.keys.sorted { $0.rawValue < $1.rawValue }
        let changes = SettingsKeeper(path: configuration.paths.settings).patch
        let replaced = SettingsKeeper.removing(asked, from: changes).removed
        let launched = try await DaemonLaunch(setup, configuration, replacing: replaced).run()
        if !replaced.isEmpty {
            let names = replaced.map(\.rawValue).joined(separator: ", ")
            DaemonOutput.say("the options replace settings that were changed while the daemon was running (\(names))")
        }
        DaemonOutput.say("the daemon is running (process \(launched.pid)); log: \(configuration.paths.log)")
        if let notice = launched.notice { DaemonOutput.warn([notice]) }
    }

    /// - Throws: `DownloadError` with code `notPossible` if the running daemon has other settings than those asked for.
    private func compare(
        _ configuration: DaemonConfiguration, with record: DaemonRecord, of pid: Int32
    ) throws(DownloadError) {
        guard record.socket == configuration.paths.socket else {
            throw DownloadError(
                .notPossible,
                "a daemon is already running (process \(pid)), listening at \(record.socket), not at "
                    + configuration.paths.socket
                    + ": stop it first with haul daemon stop --socket \(record.socket), or choose another --state-folder"
            )
        }
        var others = setup.differences(from: record)
        if resets {
            let kept = record.settings.keys.filter { name in setup.askedSettings.allSatisfy { $0.key.rawValue != name }
            }
            others = Set(others).union(kept).sorted()
        }
        guard !others.isEmpty else { return }
        throw DownloadError(
            .notPossible,
            "a daemon is already running (process \(pid)) with other settings (\(others.joined(separator: ", "))): "
                + "to change them, use haul daemon restart with these options")
    }
}
