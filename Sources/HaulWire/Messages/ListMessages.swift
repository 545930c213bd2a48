package import HaulCore

/// A page of the list.
package struct ListMessage: Hashable, Sendable, Codable {
    /// The downloads, in the requested order.
    package var downloads: [DownloadMessage]
    /// The total number of downloads that match the filter, if it was requested.
    package var total: Int?
    /// The value of `after` for the next page; nil if this is the last one.
    package var next: DownloadID?
    /// The number of the last event before this page was read, from which `events` can continue.
    package var lastEvent: Int64

    /// Creates a page.
    package init(downloads: [DownloadMessage], total: Int?, next: DownloadID?, lastEvent: Int64) {
        (self.downloads, self.total, self.next, self.lastEvent) = (downloads, total, next, lastEvent)
    }
}

/// The order of a list.
package enum ListOrder: String, Hashable, Sendable, Codable, CaseIterable {
    /// List order: the first one starts first.
    case list
    /// Reverse list order.
    case reversed
}

/// A request to add many downloads.
package struct BatchRequest: Hashable, Sendable, Codable, KnownFields {
    /// The requests.
    package var downloads: [DownloadRequest]

    /// Creates the message.
    package init(downloads: [DownloadRequest]) { self.downloads = downloads }

    /// The valid fields.
    package enum Field: String, CodingKey, CaseIterable { case downloads }

    /// Decodes the message; each download may contain only known fields.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Field.self)
        downloads = try values.decode([Checked<DownloadRequest>].self, forKey: .downloads).map(\.message)
    }
}

/// The results of adding many downloads: one for each, in order.
package struct BatchMessage: Hashable, Sendable, Codable {
    /// The results.
    package var results: [Result]

    /// Creates the message.
    package init(results: [Result]) { self.results = results }

    /// A download or an error.
    package struct Result: Hashable, Sendable, Codable {
        /// The download that was added, or that has its key.
        package var id: DownloadID?
        /// True if it was added; false if one with its key was in the list before.
        package var isNew: Bool?
        /// The reason why it was not added.
        package var error: DownloadError?

        /// Creates a result.
        package init(id: DownloadID?, isNew: Bool? = nil, error: DownloadError?) {
            (self.id, self.isNew, self.error) = (id, isNew, error)
        }
    }
}

/// The segments of a download.
package struct SegmentsMessage: Hashable, Sendable, Codable {
    /// The size of the file, if it is known.
    package var totalBytes: Int64?
    /// The segments, in the order of the file, which they cover without gaps.
    ///
    /// Empty if the download is not active.
    package var segments: [Segment]

    /// Creates the message.
    package init(totalBytes: Int64?, segments: [Segment]) {
        (self.totalBytes, self.segments) = (totalBytes, segments)
    }

    /// A part of the file.
    package struct Segment: Hashable, Sendable, Codable {
        /// The offset of its first byte.
        package var start: Int64
        /// The offset after its last byte; nil if the size is unknown.
        package var end: Int64?
        /// The offset after the last existing byte.
        package var position: Int64
        /// True if a connection is fetching it.
        package var active: Bool

        /// Creates a segment.
        package init(start: Int64, end: Int64?, position: Int64, active: Bool) {
            (self.start, self.end, self.position, self.active) = (start, end, position, active)
        }
    }
}

/// The factors that limit, or limited, the speed of a download.
package struct ExplanationMessage: Hashable, Sendable, Codable {
    /// The factors, the most expensive first.
    package var factors: [Factor]

    /// Creates the message for an explanation.
    package init(_ explanation: Explanation) {
        factors = explanation.factors.map { Factor(share: $0.share, message: $0.description) }
    }

    /// Creates the message.
    package init(factors: [Factor]) { self.factors = factors }

    /// A factor.
    package struct Factor: Hashable, Sendable, Codable {
        /// The fraction of the time that it cost, 0 to 1.
        package var share: Double
        /// The factor in a sentence.
        package var message: String
    }
}
