#if canImport(Subprocess)
    import Subprocess
    #if canImport(System)
        import System
    #else
        import SystemPackage
    #endif
#endif

/// One program to run: never through a shell, in a process group of its own, its output thrown away unless it is asked for.
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
            await bounded { Ended(outcome: await ended(.discarded, .discarded).outcome) }.outcome
        #else
            .couldNotStart(reason: "this system does not run programs")
        #endif
    }

    /// What a program writes to.
    package enum Stream: Sendable { case output, errors }

    /// How it ended, and what it has written to the stream that was kept.
    package struct Ended: Sendable {
        /// How it ended.
        package var outcome: ProcessOutcome
        /// What it has written; nothing where it was killed.
        package var bytes: [UInt8]

        /// Makes an end.
        package init(outcome: ProcessOutcome, bytes: [UInt8] = []) { (self.outcome, self.bytes) = (outcome, bytes) }
    }

    /// Runs it as `run()` does, and keeps what it writes to its standard output or its standard error.
    ///
    /// - Parameter limit: The most bytes that it may write; one that writes more counts as one that could not be started.
    @concurrent package func run(keeping stream: Stream, limit: Int) async -> Ended {
        #if canImport(Subprocess)
            await bounded {
                switch stream {
                case .output:
                    let end = await ended(.bytes(limit: limit), .discarded)
                    return Ended(outcome: end.outcome, bytes: end.output ?? [])
                case .errors:
                    let end = await ended(.discarded, .bytes(limit: limit))
                    return Ended(outcome: end.outcome, bytes: end.errors ?? [])
                }
            }
        #else
            Ended(outcome: .couldNotStart(reason: "this system does not run programs"))
        #endif
    }

    #if canImport(Subprocess)
        private func bounded(_ work: @escaping @Sendable () async -> Ended) async -> Ended {
            await withTaskGroup(of: Ended.self) { group in
                group.addTask { await work() }
                group.addTask {
                    // Cancelled as soon as the program has ended.
                    try? await Task.sleep(for: timeout)
                    return Ended(outcome: .timedOut)
                }
                let first = await group.next() ?? Ended(outcome: .cancelled)
                let wasCancelled = Task.isCancelled
                group.cancelAll()
                // Where time was up, the program is being killed now: this waits until it is gone.
                let second = await group.next() ?? first
                if wasCancelled { return Ended(outcome: .cancelled) }
                guard first.outcome == .timedOut, case .couldNotStart = second.outcome else { return first }
                return second
            }
        }

        /// Runs it without a limit; cancelling kills the process group.
        private func ended<Output: OutputProtocol & Sendable, Errors: ErrorOutputProtocol & Sendable>(
            _ output: Output, _ errors: Errors
        ) async -> (outcome: ProcessOutcome, output: Output.OutputType?, errors: Errors.OutputType?) {
            do {
                // A file instead of a pipe: no program can make us wait by not reading it, or kill us by closing it
                // (SIGPIPE, pipe(7)). Subprocess ignores neither for a pipe.
                let input = try ChildInput.open(holding: input)
                let result = try await Subprocess.run(
                    configuration, input: .fileDescriptor(input, closeAfterSpawningProcess: true),
                    output: output, error: errors)
                switch result.terminationStatus {
                case .exited(let code): return (.exited(code: code), result.standardOutput, result.standardError)
                case .signaled(let signal): return (.signalled(signal), nil, nil)
                }
            } catch is CancellationError {
                return (.cancelled, nil, nil)
            } catch {
                return (.couldNotStart(reason: "\(error)"), nil, nil)
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
