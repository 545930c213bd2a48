import HaulClient
import HaulCore
import HaulLibC
import HaulProcesses
import HaulServer
import HaulWire

/// Runs this program as a daemon in the background.
struct DaemonLaunch {
    private let setup: DaemonSetup
    private let paths: DaemonPaths
    /// The settings whose changes over the API are discarded if the daemon starts.
    private let replaced: [ConfigurationKey]

    /// Takes the options and the configuration that they make.
    init(_ setup: DaemonSetup, _ configuration: DaemonConfiguration, replacing replaced: [ConfigurationKey] = []) {
        (self.setup, paths, self.replaced) = (setup, configuration.paths, replaced)
    }

    /// A daemon that responds.
    struct Launched {
        /// Its process.
        let pid: pid_t
        /// Its remark on its list, such as that it was damaged; nil for none.
        let notice: String?
    }

    /// Starts the daemon, and waits until it responds.
    ///
    /// - Throws: `DownloadError`: the daemon's own error, or `timedOut` if it does not respond.
    func run() async throws(DownloadError) -> Launched {
        try paths.prepare(makesSocket: true)
        // Unsafe: the texts are copied by the calls.
        for key in ConfigurationKey.allCases where setup.environment[key.variable] == nil {
            unsafe _ = unsetenv(key.variable)
        }
        for (name, value) in setup.hiddenEnvironment { unsafe _ = setenv(name, value, 1) }
        let start = Self.length(of: paths.log)
        let arguments = ["daemon", "run"] + setup.arguments + replaced.map { "--replaced-setting=\($0.rawValue)" }
        // The daemon inherits it: the disk of the user's own folder could not be unmounted. All paths are absolute.
        // Unsafe: the path is copied by the call.
        _ = unsafe chdir(paths.stateFolder)
        let pid = try Self.spawn(arguments, log: paths.log)
        let info = try await Self.wait(for: pid, at: paths.socket, log: paths.log, from: start)
        return Launched(pid: pid, notice: info?.notice)
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
        let result = unsafe posix_spawn(&pid, ProgramPath.own, &actions, &attributes, &words, environ)
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
    ) async throws(DownloadError) -> InfoMessage? {
        let client = DaemonClient(.unix(path: socket))
        let end = ContinuousClock.now + .seconds(15)
        var failure: DownloadError?
        var info: InfoMessage?
        while failure == nil {
            info = await response(client, of: pid)
            if info != nil { break }
            var status: Int32 = 0
            // Unsafe: the kernel fills a value that outlives the call.
            if unsafe waitpid(pid, &status, WNOHANG) == pid {
                failure = StartFailure(status: status, words: words(in: log, from: start)).error(log: log)
            } else if ContinuousClock.now > end {
                failure = DownloadError(.timedOut, "the daemon does not respond: see \(log)")
            } else {
                // Polled: neither its end nor its readiness is an event for this process.
                try? await Task.sleep(for: .milliseconds(20))
            }
        }
        await client.close()
        if let failure { throw failure }
        return info
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

    /// Returns the response of this daemon; nil for none, or that of another one at the same socket.
    private static func response(_ client: DaemonClient, of pid: pid_t) async -> InfoMessage? {
        do throws(DownloadError) {
            let info = try await client.info()
            return info.pid == Int(pid) ? info : nil
        } catch {
            return nil
        }
    }
}
