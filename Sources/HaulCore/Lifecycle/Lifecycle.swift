/// A download's lifecycle as its manager sees it: the stored state, and if a run exists.
///
///                      grant                    ended(finished)
///        ┌── queued ──────────► active ───────────────────────► finished
///        │     ▲  ▲               │ │ ended(failed) ► failed ──┐
///  pause │     │  └── ended(short)┘ └ ended(expired) ► held ─┐ │
///        ▼     │ resume                                      │ │ retry, replaceSource
///      paused ─┴─────────────────────────────────────────────┴─┘         any ── cancel ──► cancelled ── retry ──► queued
///
/// One command in, effects out. The state is what the caller wants and changes at once; events about a run are emitted
/// when it has ended.
package struct Lifecycle: Hashable, Sendable {
    /// The state that the catalogue stores.
    package var state: StoredState
    /// The run, if one exists.
    package var run: Run
    /// False if no run was ever started, so that there are no files to remove.
    package var hasBegun: Bool

    /// Creates a lifecycle.
    package init(_ state: StoredState, run: Run = .none, hasBegun: Bool = true) {
        self.state = state
        self.run = run
        self.hasBegun = hasBegun
    }

    /// The run of a download, and what follows its end.
    package enum Run: Hashable, Sendable {
        /// There is no run.
        case none
        /// A run is active.
        case going
        /// The run was asked to stop.
        case stopping(Then)
    }

    /// The effects after the end of a run that was asked to stop.
    package enum Then: Hashable, Sendable {
        /// The effects that follow from the state.
        case rest
        /// The partial file is deleted.
        case discard
        /// The record and these files are removed.
        case remove(RemovedFiles)
    }

    /// The commands to a download, and the things that can happen to it.
    package enum Command: Hashable, Sendable {
        /// The scheduler lets it start.
        case grant
        /// Stop and keep everything.
        case pause
        /// Resume.
        case resume
        /// Resume, or run again without the pause before the next attempt.
        case restart
        /// Cancel.
        case cancel(keepPartial: Bool)
        /// Remove it from the list.
        case remove(RemovedFiles)
        /// Retry after its end.
        case retry(fromStart: Bool)
        /// The source was replaced.
        case replaceSource
        /// It is its turn, but it lacks headers or a password, which are never stored.
        case lackCredentials
        /// The run has ended.
        case ended(RunEnd)
    }

    /// The outcomes of a run.
    package enum RunEnd: Hashable, Sendable, CaseIterable {
        /// The file is complete.
        case finished
        /// It failed with an error.
        case failed
        /// The link has expired; the bytes are kept.
        case expired
        /// There is not enough disk space.
        case short
        /// It was stopped on request.
        case stopped
    }

    /// The result of a command.
    package enum Answer: Hashable, Sendable {
        /// The state may have changed; the effects are to be executed in order.
        case done([Effect])
        /// The state is already the requested one.
        case unchanged
        /// The command is not possible in this state.
        case refused(Refusal)
    }

    /// The actions that the manager executes.
    package enum Effect: Hashable, Sendable {
        /// Add it to the scheduler.
        case enqueue
        /// Remove it from the scheduler.
        case dequeue
        /// Start a run.
        case start
        /// Ask the run to stop.
        case stop
        /// Wait for disk space, then enqueue.
        case awaitSpace
        /// Delete the partial file and its journal.
        case discard
        /// Delete these files.
        case delete(RemovedFiles)
        /// Delete the record; emits `removed`.
        case forget(RemovedFiles)
        /// Emit an event.
        case emit(Emission)
    }

    /// The events of a lifecycle.
    package enum Emission: Hashable, Sendable {
        case paused
        case resumed
        case cancelled(keptPartial: Bool)
        case finished
        case failed
        case held
        case credentials
        case short
        case interrupted
        case sourceReplaced
    }

    /// The reasons for refusing a command.
    package enum Refusal: Hashable, Sendable, CaseIterable {
        case isFinished
        case hasFailed
        case isCancelled
        case needsSource
        case isStopping
        case isRunning
    }
}
