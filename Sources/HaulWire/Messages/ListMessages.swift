package import HaulCore

/// A page of the list.
package struct ListMessage: Hashable, Sendable, Codable {
    /// The downloads, in the order asked for.
    package var downloads: [DownloadMessage]
    /// How many pass the filter in all, where that was asked for.
    package var total: Int?
    /// What to give as `after` for the next page; nil where this is the last one.
    package var next: DownloadID?
    /// The number of the last event before this page was read: what `events` goes on from.
    package var lastEvent: Int64

    /// Makes a page.
    package init(downloads: [DownloadMessage], total: Int?, next: DownloadID?, lastEvent: Int64) {
        (self.downloads, self.total, self.next, self.lastEvent) = (downloads, total, next, lastEvent)
    }
}

/// In which order a list is given.
package enum ListOrder: String, Hashable, Sendable, Codable, CaseIterable {
    /// As it stands: the first one starts first.
    case list
    /// The other way round.
    case reversed
}

/// Many downloads to add.
package struct BatchRequest: Hashable, Sendable, Codable, KnownFields {
    /// What is asked for.
    package var downloads: [DownloadRequest]

    /// Makes the message.
    package init(downloads: [DownloadRequest]) { self.downloads = downloads }

    /// The fields that it may have.
    package enum Field: String, CodingKey, CaseIterable { case downloads }

    /// Reads the message; each download may have known fields only.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Field.self)
        downloads = try values.decode([Checked<DownloadRequest>].self, forKey: .downloads).map(\.message)
    }
}

/// What became of many downloads to add: one result for each, in order.
package struct BatchMessage: Hashable, Sendable, Codable {
    /// The results.
    package var results: [Result]

    /// Makes the message.
    package init(results: [Result]) { self.results = results }

    /// One of both.
    package struct Result: Hashable, Sendable, Codable {
        /// The download that was added, or that has its key.
        package var id: DownloadID?
        /// Whether it was added; false if one with its key was in the list before.
        package var isNew: Bool?
        /// Why it was not added.
        package var error: DownloadError?

        /// Makes a result.
        package init(id: DownloadID?, isNew: Bool? = nil, error: DownloadError?) {
            (self.id, self.isNew, self.error) = (id, isNew, error)
        }
    }
}

/// The segments of a download.
package struct SegmentsMessage: Hashable, Sendable, Codable {
    /// The size of the file, if it is known.
    package var totalBytes: Int64?
    /// The segments, in the order of the file; they tile it.
    ///
    /// Empty where it is not at work.
    package var segments: [Segment]

    /// Makes the message.
    package init(totalBytes: Int64?, segments: [Segment]) {
        (self.totalBytes, self.segments) = (totalBytes, segments)
    }

    /// A part of the file.
    package struct Segment: Hashable, Sendable, Codable {
        /// The offset of its first byte.
        package var start: Int64
        /// The offset behind its last byte; nil where the size is not known.
        package var end: Int64?
        /// The offset behind the last byte that is there.
        package var position: Int64
        /// Whether a connection is at work on it.
        package var active: Bool

        /// Makes a segment.
        package init(start: Int64, end: Int64?, position: Int64, active: Bool) {
            (self.start, self.end, self.position, self.active) = (start, end, position, active)
        }
    }
}

/// What limits a download, or limited it.
package struct ExplanationMessage: Hashable, Sendable, Codable {
    /// What held it up, dearest first.
    package var factors: [Factor]

    /// Tells an explanation.
    package init(_ explanation: Explanation) {
        factors = explanation.factors.map { Factor(share: $0.share, message: $0.description) }
    }

    /// Makes the message.
    package init(factors: [Factor]) { self.factors = factors }

    /// One of them.
    package struct Factor: Hashable, Sendable, Codable {
        /// The part of the time that it cost, 0 to 1.
        package var share: Double
        /// What it is, in a sentence.
        package var message: String
    }
}
