#if canImport(Subprocess)
    import Subprocess
    #if canImport(System)
        import System
    #else
        import SystemPackage
    #endif
#endif

/// One program to run: never through a shell, in a process group of its own, its output thrown away.
///
/// It inherits no descriptor but the standard three, and signals are as a new program expects them.
package struct ChildProcess: Sendable {
    /// The absolute path of the program.
    package var program: String
    /// What it gets as `argv`; the first is its own name.
    package var arguments: [String]
    /// What differs from this process's environment; nil takes a variable away.
    package var environment: [String: String?]
    /// What it can read from its standard input.
    package var input: [UInt8]
    /// How long it may run.
    package var timeout: Duration

    /// Makes a program to run.
    package init(
        program: String, arguments: [String], environment: [String: String?] = [:], input: [UInt8] = [],
        timeout: Duration
    ) {
        self.program = program
        self.arguments = arguments
        self.environment = environment
        self.input = input
        self.timeout = timeout
    }

    /// Whether this system lets us run programs.
    package static var isSupported: Bool {
        #if canImport(Subprocess)
            true
        #else
            false
        #endif
    }

    /// Runs it and waits until it has ended; no zombie is left.
    ///
    /// When the time is over or the task is cancelled, the whole process group is killed (SIGKILL). What the program started
    /// and did not wait for goes on, if the program itself ended in time.
    @concurrent package func run() async -> ProcessOutcome {
        #if canImport(Subprocess)
            await withTaskGroup(of: ProcessOutcome.self) { group in
                group.addTask { await ended() }
                group.addTask {
                    // Cancelled as soon as the program has ended.
                    try? await Task.sleep(for: timeout)
                    return .timedOut
                }
                let first = await group.next() ?? .cancelled
                let wasCancelled = Task.isCancelled
                group.cancelAll()
                // Where time was up, the program is being killed now: this waits until it is gone.
                let second = await group.next() ?? first
                if wasCancelled { return .cancelled }
                guard first == .timedOut, case .couldNotStart = second else { return first }
                return second
            }
        #else
            .couldNotStart(reason: "this system runs no programs")
        #endif
    }

    #if canImport(Subprocess)
        /// Runs it without a limit; cancelling kills the process group.
        private func ended() async -> ProcessOutcome {
            do {
                // A file instead of a pipe: no program can make us wait by not reading it, or kill us by closing it
                // (SIGPIPE, pipe(7)). Subprocess ignores neither for a pipe.
                let input = try ChildInput.open(holding: input)
                let result = try await Subprocess.run(
                    configuration, input: .fileDescriptor(input, closeAfterSpawningProcess: true),
                    output: .discarded, error: .discarded)
                return switch result.terminationStatus {
                case .exited(let code): .exited(code: code)
                case .signaled(let signal): .signalled(signal)
                }
            } catch is CancellationError {
                return .cancelled
            } catch {
                return .couldNotStart(reason: "\(error)")
            }
        }

        private var configuration: Configuration {
            var options = PlatformOptions()
            // 0: a group of its own, whose number is the process's (setpgid(2)).
            options.processGroupID = 0
            options.teardownSequence = [
                .send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .zero)
            ]
            var changes: [Environment.Key: String?] = [:]
            for (name, value) in environment {
                if let key = Environment.Key(rawValue: name) { changes[key] = .some(value) }
            }
            return Configuration(
                executable: .path(FilePath(program)),
                arguments: Arguments(
                    executablePathOverride: arguments.first, remainingValues: Array(arguments.dropFirst())),
                environment: .inherit.updating(changes), platformOptions: options)
        }
    #endif
}
