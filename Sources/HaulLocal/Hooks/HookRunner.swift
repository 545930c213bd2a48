import HaulCore
import HaulLibC
package import HaulManager
import HaulProcesses
package import Logging
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Runs hooks in order of arrival, one at a time.
///
/// A hook can't affect the downloads: its outcome is logged and reported, never thrown. At most 1,000 hooks wait;
/// beyond that, the oldest is dropped.
///
///     submit -> HookQueue -> run() -> ChildProcess -> log, reported
package final class HookRunner: Sendable {
    private struct Job {
        var command: HookCommand
        var context: HookContext
    }

    private struct State {
        var queue: HookQueue<Job>
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation
    private let environment: [String: String]
    private let common: [String: String]
    private let logger: Logger
    private let reported: @Sendable (HookReport) -> Void

    /// True if this system can run hooks.
    package static var isSupported: Bool { ChildProcess.isSupported }

    /// Creates a runner, which does nothing before `run()`.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of waiting hooks.
    ///   - environment: Provides `PATH`, and the names of inherited variables.
    ///   - common: Variables that all hooks get.
    ///   - reported: Called once for each hook that was due, after it has ended or was dropped.
    package init(
        limit: Int = 1000, environment: [String: String] = ProcessEnvironment.all, common: [String: String] = [:],
        logger: Logger,
        reported: @escaping @Sendable (HookReport) -> Void = { _ in }
    ) {
        state = Mutex(State(queue: HookQueue(limit: limit)))
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (self.environment, self.common) = (environment, common)
        self.logger = logger
        self.reported = reported
    }

    /// Queues the commands that are run on this event, in order; never waits.
    package func submit(_ context: HookContext, to commands: [HookCommand]) {
        for command in commands where command.on.contains(context.event) {
            let job = Job(command: command, context: context)
            if let dropped = state.withLock({ $0.queue.add(job) }) { report(dropped, .dropped) }
        }
        signal.yield()
    }

    /// Runs submitted hooks until the runner is closed; call it only once.
    ///
    /// Cancelling its task closes the runner, and kills the running hook.
    package func run() async {
        for await _ in signals {
            while !Task.isCancelled, let job = state.withLock({ $0.queue.take() }) {
                report(job, await outcome(of: job))
                wake { $0.end() }
            }
        }
        shut()
    }

    /// Waits until no hook is running or waiting.
    package func idle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if !state.queue.isIdle { state.waiters.append(continuation) }
                return state.queue.isIdle
            }
            if isIdle { continuation.resume() }
        }
    }

    /// Drops the waiting hooks, accepts no more, and waits for the running one, which ends by its timeout at the
    /// latest.
    package func close() async {
        shut()
        await idle()
    }

    private func shut() {
        let dropped = state.withLock { $0.queue.close() }
        signal.finish()
        for job in dropped { report(job, .dropped) }
        wake { _ in }
    }

    private func wake(after change: (inout HookQueue<Job>) -> Void) {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            change(&state.queue)
            guard state.queue.isIdle else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    private func outcome(of job: Job) async -> HookOutcome {
        let invocation = HookInvocation(job.command, job.context, common: common)
        let name = invocation.arguments[0]
        guard let program = ProgramPath.find(name, searchPath: environment["PATH"]) else {
            return .ended(.couldNotStart(reason: "\(name) is not found in PATH"))
        }
        let child = ChildProcess(
            program: program, arguments: invocation.arguments,
            environment: invocation.changes(toEnvironmentWith: environment.keys), input: invocation.input,
            timeout: invocation.timeout)
        guard let patience = job.command.patience else {
            return .ended(await child.run(inheritsOutput: invocation.inheritsOutput))
        }
        // Tasks of their own: nothing that ends here cancels the program.
        let (outcomes, outcome) = AsyncStream.makeStream(of: HookOutcome.self)
        Task { outcome.yield(.ended(await child.run(inheritsOutput: invocation.inheritsOutput))) }
        let limit = Task {
            try await Task.sleep(for: patience)
            outcome.yield(.left)
        }
        defer { limit.cancel() }
        for await first in outcomes { return first }
        return .left
    }

    private func report(_ job: Job, _ outcome: HookOutcome) {
        let level: Logger.Level = outcome.isSuccess ? .debug : .warning
        logger.log(
            level: level, "hook ended",
            metadata: [
                "event": "\(job.context.event.rawValue)", "download": "\(job.context.id?.description ?? "-")",
                "program": "\(job.command.arguments[0])", "outcome": "\(outcome)",
            ])
        reported(HookReport(command: job.command, context: job.context, outcome: outcome))
    }
}
