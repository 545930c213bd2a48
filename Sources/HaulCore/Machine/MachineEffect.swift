/// What the download's machine wants done.
///
/// Plain data: the engine carries it out, the outcome comes back as an event.
package enum MachineEffect: Hashable, Sendable {
    /// Look at the destination: is the file there, is there a partial? Answer: `located` or `fileFailed`.
    case locate
    /// Send a request. Answers: `head` at most once, then `ended`.
    case fetch(FetchPlan)
    /// End a fetch. Answer: `ended`.
    case cancelFetch(Int)
    /// The first answer is here: name the file, look at its place, open the partial; begin it anew with this version unless
    /// there is something to go on from. Answer: `prepared` or `fileFailed`.
    case prepare(ResponseFacts)
    /// The partial that `prepare` found is of no use: begin it anew with this version. Answer: `prepared` or `fileFailed`.
    case prepareAgain(ResponseFacts)
    /// Write the journal of a partial that is gone on with. Answer: `reopened` or `fileFailed`.
    case resumeContent(KnownVersion, SegmentMap)
    /// Let a waiting fetch write its bytes.
    case attach(fetch: Int, segment: Int, end: Int64?)
    /// Lower the end of a running segment. Answer: `takenOver`.
    case takeOver(fetch: Int, segment: Int, at: Int64)
    /// So many bytes stand without a gap from the start: the checksum may follow.
    case contiguousPrefix(Int64)
    /// Compute this digest of the file while it comes, or none: the first answer has told it.
    case hash(Checksum.Algorithm?)
    /// Make what is written durable. Answer: `checkpointed` or `fileFailed`.
    case checkpoint
    /// Compute the digest, if one is asked for. Answer: `verified` or `fileFailed`.
    case verify(total: Int64)
    /// Compare the file's pieces with their digests. Answer: `piecesChecked` or `fileFailed`.
    case checkPieces(total: Int64)
    /// Bytes that are there count no more: only those of this map do. Answer: `reopened` or `fileFailed`.
    case revert(SegmentMap)
    /// Put the file under its final name. Answer: `published` or `fileFailed`.
    case publish(total: Int64, modified: Int64?)
    /// Close the partial so that it can be gone on with. Answer: `closed`.
    case save
    /// Remove the partial and its journal. Answer: `closed`.
    case discard
    /// Fetch the document that the server names for the file. Answer, where it comes in time: `described`.
    case describe(SourceURL)
    /// Tell the governor of the host of that number; what it grants may change by it.
    case host(Int, HostReport)
    /// Tell the caller.
    case emit(TransferEvent)
}
