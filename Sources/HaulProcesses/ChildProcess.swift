#if canImport(Subprocess)
    import Subprocess
    #if canImport(System)
        import System
    #else
        import SystemPackage
    #endif
#endif

/// A program to run: never through a shell, in a process group of its own, its output discarded unless requested.
///
/// It inherits only the three standard descriptors, and starts with default signal handling.
package struct ChildProcess: Sendable {
    /// The absolute path of the program.
    package var program: String
    /// The arguments, beginning with the program's own name (`argv`).
    package var arguments: [String]
    /// The changes to this process's environment; nil removes a variable.
    package var environment: [String: String?]
    /// The data for its standard input.
    package var input: [UInt8]
    /// The maximum duration.
    package var timeout: Duration

    /// Creates a program to run.
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

    /// True if this system can run programs.
    package static var isSupported: Bool {
        #if canImport(Subprocess)
            true
        #else
            false
        #endif
    }

    /// Runs the program and waits until it has ended; no zombie is left.
    ///
    /// After the timeout, or if the task is cancelled, the whole process group is killed (SIGKILL). If the program
    /// itself ends in time, processes that it started but did not wait for continue.
    ///
    /// - Parameter inheritsOutput: True if it writes to the standard output and error of this process.
    @concurrent package func run(inheritsOutput: Bool = false) async -> ProcessOutcome {
        #if canImport(Subprocess)
            await bounded {
                if inheritsOutput {
                    return Ended(outcome: await ended(.currentStandardOutput, .currentStandardError).outcome)
                }
                return Ended(outcome: await ended(.discarded, .discarded).outcome)
            }
            .outcome
        #else
            .couldNotStart(reason: "this system does not run programs")
        #endif
    }

    /// An output stream of a program.
    package enum Stream: Sendable { case output, errors }

    /// The outcome, and the output on the stream that was kept.
    package struct Ended: Sendable {
        /// The outcome.
        package var outcome: ProcessOutcome
        /// The output; empty if the program was killed.
        package var bytes: [UInt8]

        /// Creates a result.
        package init(outcome: ProcessOutcome, bytes: [UInt8] = []) { (self.outcome, self.bytes) = (outcome, bytes) }
    }

    /// Runs the program as `run()` does, and keeps what it writes to its standard output or its standard error.
    ///
    /// - Parameter limit: The maximum size of the output in bytes; a program that writes more counts as one that could
    ///   not be started.
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
                // After the timeout, the program is being killed: this waits until it has ended.
                let second = await group.next() ?? first
                if wasCancelled { return Ended(outcome: .cancelled) }
                guard first.outcome == .timedOut, case .couldNotStart = second.outcome else { return first }
                return second
            }
        }

        /// Runs the program without a timeout; cancelling kills the process group.
        private func ended<Output: OutputProtocol & Sendable, Errors: ErrorOutputProtocol & Sendable>(
            _ output: Output, _ errors: Errors
        ) async -> (outcome: ProcessOutcome, output: Output.OutputType?, errors: Errors.OutputType?) {
            do {
                // A file instead of a pipe: a program can't make Haul wait by not reading it, or kill Haul by closing
                // it (SIGPIPE, pipe(7)). Subprocess prevents neither for a pipe.
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
            // 0: a group of its own, with the process's number (setpgid(2)).
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

/// The outcome of a child process.
package enum ProcessOutcome: Hashable, Sendable {
    /// It exited with this status; 0 is success.
    case exited(code: Int32)
    /// A signal ended it (signal(7)).
    case signalled(Int32)
    /// It exceeded its timeout, and was killed with its process group.
    case timedOut
    /// The waiting task was cancelled; the process was killed with its group.
    case cancelled
    /// It could not be started; the reason is for people.
    case couldNotStart(reason: String)

    /// True if it exited with status 0.
    package var isSuccess: Bool { self == .exited(code: 0) }
}

extension ProcessOutcome: CustomStringConvertible {
    /// The value as text, for logs.
    package var description: String {
        switch self {
        case .exited(let code): "exited with \(code)"
        case .signalled(let signal): "ended by signal \(signal)"
        case .timedOut: "killed: it took too long"
        case .cancelled: "killed: cancelled"
        case .couldNotStart(let reason): "could not start: \(reason)"
        }
    }
}
