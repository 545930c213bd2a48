package import HaulCore

/// How a run ended.
package struct Closing: Hashable, Sendable {
    /// What stopped it, or nil where it ran to its end.
    package var stop: StopReason?
    /// How long it took.
    package var seconds: Double
    /// Whether stopped downloads can be gone on with.
    package var resumes: Bool
    /// What happens to files that stand there already.
    package var onConflict: ConflictPolicy
    /// Whether the bytes went to standard output.
    package var streams: Bool
    /// Whether it was only looked on: what has not ended goes on, and is not counted.
    package var watches: Bool

    /// Makes the value.
    package init(
        stop: StopReason?, seconds: Double, resumes: Bool, onConflict: ConflictPolicy, streams: Bool = false,
        watches: Bool = false
    ) {
        self.streams = streams
        self.watches = watches
        self.stop = stop
        self.seconds = seconds
        self.resumes = resumes
        self.onConflict = onConflict
    }
}
