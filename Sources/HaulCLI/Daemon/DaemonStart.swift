import HaulClient
import HaulCore
import HaulLibC
import HaulServer
import HaulWire

/// Starts a daemon in the background.
struct DaemonStart {
    private let setup: DaemonSetup
    /// True if the options of the last start are discarded.
    private let resets: Bool

    /// Takes the options.
    init(_ options: DaemonOptions, resets: Bool) { (setup, self.resets) = (DaemonSetup(options), resets) }

    /// Checks the options as the start does, without starting anything.
    ///
    /// - Throws: `DownloadError` for the first one that can't be used.
    func check() throws(DownloadError) {
        _ = try prepared(DaemonRecord(path: try setup.configuration().paths.record))
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
            guard !taken.isEmpty else { throw error }
            let advice =
                "; the options of the last start apply, too (\(taken.joined(separator: " "))): to discard them, "
                + "haul daemon start --reset"
            throw DownloadError(error.code, error.message + advice, cause: error.cause)
        }
    }

    /// Starts the daemon, and returns the exit code.
    func run() async -> Int32 {
        DaemonOutput.warn(EnvironmentNames.warnings(setup.environment))
        do throws(DownloadError) {
            let paths = try setup.configuration().paths
            let record = DaemonRecord(path: paths.record)
            if let pid = DaemonLock.holder(path: paths.lock) {
                if let record { try compare(try setup.configuration(), with: record, of: pid) }
                DaemonOutput.say("a daemon is already running (process \(pid))")
                return ExitCode.complete.rawValue
            }
            let (setup, configuration, taken) = try prepared(record)
            if !taken.isEmpty {
                let options = taken.joined(separator: " ")
                DaemonOutput.say("starting with the options of the last start (\(options)); --reset discards them")
            }
            if let root = setup.askedSettings[.roots]?.first {
                DaemonOutput.say("downloads without a folder are saved in \(root)")
            }
            try configuration.paths.prepare(makesSocket: true)
            try replaceSettings(configuration.paths)
            let log = configuration.paths.log
            // Unsafe: both texts are copied by the call.
            for (name, value) in setup.hiddenEnvironment { unsafe _ = setenv(name, value, 1) }
            let start = Self.length(of: log)
            let pid = try Self.spawn(["daemon", "run"] + setup.arguments, log: log)
            try await Self.wait(for: pid, at: configuration.paths.socket, log: log, from: start)
            DaemonOutput.say("the daemon is running (process \(pid)); log: \(log)")
            return ExitCode.complete.rawValue
        } catch {
            return DaemonOutput.fail(error)
        }
    }

    /// Makes the options given now take precedence over settings that were changed while an earlier daemon ran.
    private func replaceSettings(_ paths: DaemonPaths) throws(DownloadError) {
        let asked = setup.askedSettings.keys.sorted { $0.rawValue < $1.rawValue }
        let replaced = try SettingsKeeper(path: paths.settings).remove(asked)
        guard !replaced.isEmpty else { return }
        let names = replaced.map(\.rawValue).joined(separator: ", ")
        DaemonOutput.say("the options replace settings that were changed while the daemon was running (\(names))")
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
                + "stop it first with haul daemon stop")
    }

    /// `POSIX_SPAWN_SETSID`, which Swift does not import, since C's headers define it for GNU programs only.
    #if canImport(Darwin)
        private static let newSession: Int16 = 0x400
    #else
        private static let newSession: Int16 = 0x80
    #endif

    /// Starts this program again, in its own session, without a terminal.
    private static func spawn(_ arguments: [String], log: String) throws(DownloadError) -> pid_t {
        // Unsafe: both are made, used and destroyed here; the paths are copied by the calls.
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = unsafe posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, 2, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        unsafe posix_spawnattr_setflags(&attributes, newSession)
        var words: [UnsafeMutablePointer<CChar>?] = unsafe (["haul"] + arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        // A process that waits for the end of a pipe inherited by this one must not wait for the daemon to exit.
        for file in Int32(3)..<4096 { _ = fcntl(file, F_SETFD, FD_CLOEXEC) }
        var pid: pid_t = 0
        let result = unsafe posix_spawn(&pid, OwnProgram.path, &actions, &attributes, &words, environ)
        guard result == 0 else {
            throw DownloadError(.fileFailed, "can't start the daemon", cause: "error \(result)")
        }
        return pid
    }

    /// Waits until the daemon responds.
    ///
    /// - Parameter start: The length of its log before the start.
    private static func wait(
        for pid: pid_t, at socket: String, log: String, from start: off_t
    ) async throws(DownloadError) {
        let client = DaemonClient(.unix(path: socket))
        let end = ContinuousClock.now + .seconds(15)
        var failure: DownloadError?
        while failure == nil {
            if await answers(client, pid) { break }
            var status: Int32 = 0
            // Unsafe: the kernel fills a value that outlives the call.
            if unsafe waitpid(pid, &status, WNOHANG) == pid {
                failure = StartFailure(status: status, words: words(in: log, from: start)).error(log: log)
            } else if ContinuousClock.now > end {
                failure = DownloadError(.timedOut, "the daemon does not respond: see \(log)")
            } else {
                try? await Task.sleep(for: .milliseconds(20))
            }
        }
        await client.close()
        if let failure { throw failure }
    }

    /// Returns the length of a file; 0 if it does not exist.
    private static func length(of path: String) -> off_t {
        var facts = stat()
        // Unsafe: the path is copied by the call, and the kernel fills a value that outlives it.
        return unsafe stat(path, &facts) == 0 ? off_t(facts.st_size) : 0
    }

    /// Returns the text written to the log since the start.
    private static func words(in log: String, from start: off_t) -> String {
        // Unsafe: the path is copied by the call.
        let file = unsafe open(log, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        // Unsafe: the buffer is borrowed for the call.
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe pread(file, $0.baseAddress, $0.count, start) }
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    /// Returns true if this daemon responds, and not another one at the same socket.
    private static func answers(_ client: DaemonClient, _ pid: pid_t) async -> Bool {
        do throws(DownloadError) {
            return try await client.info().pid == Int(pid)
        } catch {
            return false
        }
    }
}
