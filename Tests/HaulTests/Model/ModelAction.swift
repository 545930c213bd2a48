import HaulCore
import HaulTesting

/// Something that happens in a sequence: a command, a fault, the end of a process, or time for the others.
enum ModelAction: Sendable, Hashable {
    case add(Int, paused: Bool)
    case one(Int, ModelVerb)
    case many(ModelScope, ModelVerb)
    case limit(Int, ModelOrder)
    case fault(Int, ModelFault)
    case heal(Int)
    /// The process ends, orderly or not, and another one begins.
    case relaunch(kill: Bool, resumes: Bool)
    /// Wait until the server has sent so many bytes more, or nothing is left to do.
    case bytes(Int64)
    /// Wait for the next state event, or until nothing is left to do.
    case event
    /// Let others work for so many turns.
    case turns(Int)
}

/// A command.
enum ModelVerb: Sendable, Hashable {
    case pause
    case resume
    case cancel(keepPartial: Bool)
    case remove(RemovedFiles)
    case retry(fromStart: Bool)
    case replaceSource(ModelSource)
    case move(Int)
    case startNow
    case priority(Int)
}

/// Whose downloads are meant.
enum ModelScope: Sendable, Hashable, CaseIterable {
    case all, even, odd
}

/// Which of those that wait comes first.
enum ModelOrder: Sendable, Hashable, CaseIterable {
    case fifo, lifo
}

/// Where a download comes from.
enum ModelSource: Sendable, Hashable, CaseIterable {
    /// Where it came from at first.
    case original
    /// The same file under another URL.
    case same
    /// Another file.
    case other
}

/// What a server does wrong.
enum ModelFault: Sendable, Hashable {
    case cut(after: Int64)
    case reset(after: Int64)
    case status(Int)
    /// Ranges are ignored from now on.
    case noRanges
    /// The file is another one from now on.
    case changed
    /// So many bytes a second for each answer.
    case slow(Int64)
    case shorter(by: Int64)
}

/// One step of a sequence.
struct ModelStep: Sendable, Hashable {
    var action: ModelAction
    /// Whether the next step waits until it is done.
    var waits: Bool
}
