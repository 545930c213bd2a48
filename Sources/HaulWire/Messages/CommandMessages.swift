package import HaulCore

/// The options of cancelling a download.
package struct CancelRequest: Hashable, Sendable, Codable, KnownFields {
    /// True if the partial file is kept, so that a retry can resume it; nil means true.
    package var keepPartial: Bool?

    /// Creates the message.
    package init(keepPartial: Bool? = nil) { self.keepPartial = keepPartial }

    /// The valid fields.
    package enum CodingKeys: String, CodingKey, CaseIterable { case keepPartial }
    /// The valid fields.
    package typealias Field = CodingKeys
}

/// The options of retrying a download.
package struct RetryRequest: Hashable, Sendable, Codable, KnownFields {
    /// True if the partial file is discarded first; nil means false.
    package var fromStart: Bool?

    /// Creates the message.
    package init(fromStart: Bool? = nil) { self.fromStart = fromStart }

    /// The valid fields.
    package enum CodingKeys: String, CodingKey, CaseIterable { case fromStart }
    /// The valid fields.
    package typealias Field = CodingKeys
}

/// The destination of moving a download.
package struct MoveRequest: Hashable, Sendable, Codable, KnownFields {
    /// The new index in the whole list; a number beyond the end means the end.
    package var to: Int

    /// Creates the message.
    package init(to: Int) { self.to = to }

    /// The valid fields.
    package enum CodingKeys: String, CodingKey, CaseIterable { case to }
    /// The valid fields.
    package typealias Field = CodingKeys
}

/// A command without parameters: an empty object.
package struct EmptyRequest: Hashable, Sendable, Codable, KnownFields {
    /// Creates the message.
    package init() {}

    /// There are no fields.
    package enum Field: CodingKey, CaseIterable {}
}

/// Another source for the same file; fields that are nil remain unchanged.
package struct SourceRequest: Hashable, Sendable, Codable, KnownFields {
    /// The new URL.
    package var url: String?
    /// The new headers.
    package var headers: [DownloadSpec.Header]?
    /// The password of the user.
    package var password: String?
    /// The new token.
    package var bearerToken: String?

    /// Creates a message that changes nothing.
    package init() {}

    /// The valid fields.
    package enum CodingKeys: String, CodingKey, CaseIterable { case url, headers, password, bearerToken }
    /// The valid fields.
    package typealias Field = CodingKeys
}

/// Changes to a download; fields that are nil remain unchanged.
package struct ChangeRequest: Hashable, Sendable, Codable, KnownFields {
    /// The priority, -1000 to 1000; higher ones start first.
    package var priority: Int?
    /// The limit in bytes per second; 0 for no limit.
    package var rateLimit: Int64?

    /// Creates the message.
    package init(priority: Int? = nil, rateLimit: Int64? = nil) {
        (self.priority, self.rateLimit) = (priority, rateLimit)
    }

    /// The valid fields.
    package enum CodingKeys: String, CodingKey, CaseIterable { case priority, rateLimit }
    /// The valid fields.
    package typealias Field = CodingKeys
}

/// A selection of downloads: those that match every condition that is set.
package struct FilterMessage: Hashable, Sendable, Codable, KnownFields {
    /// Only these.
    package var ids: [DownloadID]?
    /// Only those with one of these keys.
    package var keys: [String]?
    /// Only those with one of these URLs.
    package var urls: [String]?
    /// Only those of one of these groups.
    package var groups: [String]?
    /// Only those with at least one of these tags.
    package var tags: [String]?
    /// Only those with every one of these tags.
    package var requiredTags: [String]?
    /// Only those in one of these states.
    package var states: [DownloadState.Kind]?
    /// Only those that failed, or whose link has expired, with one of these codes.
    package var codes: [DownloadError.Code]?
    /// Only those from one of these hosts.
    package var hosts: [String]?
    /// Only those whose URL or path contains this text.
    package var search: String?

    /// Creates a filter that matches all downloads.
    package init() {}

    /// Creates the message for a filter.
    package init(_ filter: DownloadFilter) {
        ids = filter.ids?.sorted()
        keys = filter.keys?.sorted()
        urls = filter.urls?.sorted()
        groups = filter.groups?.sorted()
        tags = filter.tags?.sorted()
        requiredTags = filter.requiredTags?.sorted()
        states = filter.states?.sorted { $0.rawValue < $1.rawValue }
        codes = filter.codes?.sorted { $0.rawValue < $1.rawValue }
        hosts = filter.hosts?.sorted()
        search = filter.text
    }

    /// Returns the filter in the message.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` for an invalid host, or a text that is too long or contains NUL.
    package func filter() throws(DownloadError) -> DownloadFilter {
        var filter = DownloadFilter()
        filter.ids = ids.map { Set($0) }
        filter.keys = keys.map { Set($0) }
        filter.urls = urls.map { Set($0) }
        filter.groups = groups.map { Set($0) }
        filter.tags = tags.map { Set($0) }
        filter.requiredTags = requiredTags.map { Set($0) }
        filter.states = states.map { Set($0) }
        filter.codes = codes.map { Set($0) }
        filter.hosts = try hosts.map { names throws(DownloadError) in try DownloadFilter.hostNames(names) }
        filter.text = search
        return try filter.checked()
    }

    /// The valid fields.
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case ids, keys, urls, groups, tags, requiredTags, states, codes, hosts, search
    }
    /// The valid fields.
    package typealias Field = CodingKeys
}

/// One action on many downloads; those that it does not apply to are skipped.
package struct ActionRequest: Hashable, Sendable, Codable, KnownFields {
    /// The action.
    package var action: Action
    /// The downloads to act on.
    ///
    /// A filter without a condition is rejected, so that nothing is done to all by accident.
    package var filter: FilterMessage?
    /// True if the action is for all downloads.
    package var all: Bool?
    /// With `cancel`: see `CancelRequest`.
    package var keepPartial: Bool?
    /// With `retry`: see `RetryRequest`.
    package var fromStart: Bool?
    /// With `remove`: the files that are removed with the records; nil means the partial files.
    package var files: RemovedFiles?
    /// With `set`: see `ChangeRequest`.
    package var priority: Int?
    /// With `set`: see `ChangeRequest`.
    package var rateLimit: Int64?

    /// Creates the message.
    package init(_ action: Action, filter: FilterMessage? = nil, all: Bool? = nil) {
        (self.action, self.filter, self.all) = (action, filter, all)
    }

    /// The actions on many downloads.
    package enum Action: String, Hashable, Sendable, Codable, CaseIterable {
        case pause, resume, cancel, remove, retry, start, set
    }

    /// The valid fields.
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case action, filter, all, keepPartial, fromStart, files, priority, rateLimit
    }
    /// The valid fields.
    package typealias Field = CodingKeys
}

/// The number of downloads that an action has changed.
package struct ActionMessage: Hashable, Sendable, Codable {
    /// The number of changed downloads.
    package var changed: Int

    /// Creates the message.
    package init(changed: Int) { self.changed = changed }
}
