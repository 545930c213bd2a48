/// An action that the download's machine requests, grouped by the component that carries it out.
///
/// Plain data; outcomes come back as `MachineEvent`.
package enum MachineEffect: Hashable, Sendable {
    /// An action on the network, or on a running fetch.
    case network(NetworkEffect)
    /// An action on the content: the file, or the stream. Each is answered by one event.
    case content(ContentEffect)
    /// An instruction to the digests that are computed during the download.
    case digest(DigestEffect)
    /// A report to the governor of the host with this number; its quota may change as a result.
    case host(Int, HostReport)
    /// An event for the caller.
    case emit(TransferEvent)
}

/// An action on the network, or on a running fetch.
package enum NetworkEffect: Hashable, Sendable {
    /// Sends a request. Answered by at most one `head`, then by `ended`.
    case fetch(FetchPlan)
    /// Cancels a fetch. Answered by `ended`.
    case cancel(Int)
    /// Lets a waiting fetch write its bytes, up to an end: that of the file, or with `isLimit`, the offset from which
    /// no more is wanted of a file of unknown size.
    case attach(fetch: Int, segment: Int, end: Int64?, isLimit: Bool = false)
    /// Lowers the end of a running segment. Answered by `takenOver`.
    case takeOver(fetch: Int, segment: Int, at: Int64)
    /// Fetches the document that the server names for the file; `hopWithoutTLS` is a URL without TLS on the way to the
    /// response that named it. Answered by `described`.
    case describe(SourceURL, hopWithoutTLS: SourceURL? = nil)
}

/// An action on the content; each is answered by the event that it names, or by `fileFailed`.
package enum ContentEffect: Hashable, Sendable {
    /// Looks for a file or a partial file at the destination. Answered by `located`.
    case locate
    /// Leaves the partial file that was located as it is, because it belongs to a different file, and locates another one
    /// for the same path. Answered by `located`, or by `fileFailed` with this error if there is none.
    case leave(DownloadError)
    /// Names the file after the first response, looks at its destination and opens the partial file; begins a new one
    /// of this version unless there is something to resume. Answered by `prepared`.
    case prepare(ResponseFacts)
    /// Begins a new partial file of this version, because the one that `prepare` found cannot be used. Answered by
    /// `prepared`.
    case prepareAgain(ResponseFacts)
    /// Writes the journal of a partial file that is resumed. With `keepsRest`, it still describes the bytes that are not
    /// in the map. Answered by `reopened`.
    case resume(KnownVersion, SegmentMap, keepsRest: Bool = false)
    /// Discards written bytes that are not in this map. Answered by `reopened`.
    case revert(SegmentMap)
    /// Makes the written bytes durable. Answered by `checkpointed`.
    case checkpoint
    /// Records in the journal that only a checksum can verify the bytes from now on. Answered by `distrusted`.
    case distrust
    /// Computes the digest, if one is wanted. Answered by `verified`.
    case verify(total: Int64)
    /// Compares the file's pieces with their digests. Answered by `piecesChecked`.
    case checkPieces(total: Int64)
    /// Gives the file its final name. Answered by `published`.
    case publish(total: Int64, modified: Int64?)
    /// Closes the partial file so that it can be resumed. Answered by `closed`.
    case save
    /// Removes the partial file and its journal. Answered by `closed`.
    case discard
}

/// An instruction to the digests that are computed during the download.
///
/// Not answered.
package enum DigestEffect: Hashable, Sendable {
    /// All bytes before this offset are written.
    case contiguousPrefix(Int64)
    /// Computes this digest from now on, or none. The first response has named it.
    case algorithm(Checksum.Algorithm?)
}
