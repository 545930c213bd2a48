/// A download's life as far as its manager decides about it: the stored state, and whether a run of it exists.
///
///                      grant                    ended(finished)
///        ┌── queued ──────────► active ───────────────────────► finished
///        │     ▲  ▲               │ │ ended(failed) ► failed ──┐
///  pause │     │  └── ended(short)┘ └ ended(expired) ► held ─┐ │
///        ▼     │ resume                                      │ │ retry, replaceSource
///      paused ─┴─────────────────────────────────────────────┴─┘         any ── cancel ──► cancelled ── retry ──► queued
///
/// One command in, effects out; what the caller wants is the state at once, what is told about a run waits until the run has ended.
package struct Lifecycle: Hashable, Sendable {
    /// What the catalogue keeps.
    package var state: StoredState
    /// Whether a run exists.
    package var run: Run

    /// Makes one.
    package init(_ state: StoredState, run: Run = .none) {
        self.state = state
        self.run = run
    }

    /// Whether a run exists, and what follows its end.
    package enum Run: Hashable, Sendable {
        /// None.
        case none
        /// It works.
        case going
        /// It was asked to stop.
        case stopping(Then)
    }

    /// What follows when a run that was asked to stop has ended.
    package enum Then: Hashable, Sendable {
        /// Nothing but what the state says.
        case rest
        /// The partial goes.
        case discard
        /// The record goes, and these files.
        case remove(RemovedFiles)
    }

    /// What can be asked of a download, or happen to it.
    package enum Command: Hashable, Sendable {
        /// The scheduler lets it start.
        case grant
        /// Stop and keep everything.
        case pause
        /// Go on.
        case resume
        /// Stop for good.
        case cancel(keepPartial: Bool)
        /// Forget it.
        case remove(RemovedFiles)
        /// Try again what has ended.
        case retry(fromStart: Bool)
        /// It has another source now.
        case replaceSource
        /// Its turn has come, but it lacks headers or a password, which are never stored.
        case lackCredentials
        /// Its run is over.
        case ended(RunEnd)
    }

    /// How a run ended.
    package enum RunEnd: Hashable, Sendable, CaseIterable {
        /// The file stands.
        case finished
        /// An error.
        case failed
        /// The link has expired; the bytes are kept.
        case expired
        /// The disk has too little room.
        case short
        /// It was told to stop.
        case stopped
    }

    /// What a command comes to.
    package enum Answer: Hashable, Sendable {
        /// The state may have changed; this is to be done, in order.
        case done([Effect])
        /// It is so already.
        case unchanged
        /// It does not fit the state.
        case refused(Refusal)
    }

    /// What is to be done.
    package enum Effect: Hashable, Sendable {
        /// Let the scheduler have it.
        case enqueue
        /// Take it from the scheduler.
        case dequeue
        /// Begin a run.
        case start
        /// Ask the run to stop.
        case stop
        /// Watch the disk, then enqueue.
        case awaitSpace
        /// Remove partial and journal.
        case discard
        /// Remove these files.
        case delete(RemovedFiles)
        /// Drop the record; told as `removed`.
        case forget(RemovedFiles)
        /// Tell it.
        case emit(Emission)
    }

    /// What is told.
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

    /// Why a command does not fit.
    package enum Refusal: Hashable, Sendable, CaseIterable {
        case isFinished
        case hasFailed
        case isCancelled
        case needsSource
        case isStopping
        case isRunning
    }
}
