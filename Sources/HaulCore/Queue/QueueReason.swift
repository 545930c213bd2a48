/// Why a download does not run.
package enum QueueReason: Hashable, Sendable {
    /// As many downloads run as the limit allows.
    case turn(limit: Int)
    /// As many downloads of its host, given by number, run as the limit allows: it stays even if a turn comes.
    case host(Int32, limit: Int)
    /// It must not start before this time, in milliseconds since 1970.
    case notBefore(Int64)
    /// Nothing holds it: it starts as soon as those before it in the line have been asked for.
    case start
    /// It is not among those that wait: it runs, or the scheduler does not know it.
    case notWaiting
}
