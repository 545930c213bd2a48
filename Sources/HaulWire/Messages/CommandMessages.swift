package import HaulCore

/// How a download is cancelled.
package struct CancelRequest: Hashable, Sendable, Codable, KnownFields {
    /// Whether the bytes stay, so that it can be retried from there; nil: they do.
    package var keepPartial: Bool?

    /// Makes the message.
    package init(keepPartial: Bool? = nil) { self.keepPartial = keepPartial }

    /// The fields that it may have.
    package enum CodingKeys: String, CodingKey, CaseIterable { case keepPartial }
    /// The fields that it may have.
    package typealias Field = CodingKeys
}

/// How a download is retried.
package struct RetryRequest: Hashable, Sendable, Codable, KnownFields {
    /// Whether what is there is thrown away first; nil: it is not.
    package var fromStart: Bool?

    /// Makes the message.
    package init(fromStart: Bool? = nil) { self.fromStart = fromStart }

    /// The fields that it may have.
    package enum CodingKeys: String, CodingKey, CaseIterable { case fromStart }
    /// The fields that it may have.
    package typealias Field = CodingKeys
}

/// Where a download is moved.
package struct MoveRequest: Hashable, Sendable, Codable, KnownFields {
    /// Its new place in the whole list, 0 first; beyond the end is the end.
    package var to: Int

    /// Makes the message.
    package init(to: Int) { self.to = to }

    /// The fields that it may have.
    package enum CodingKeys: String, CodingKey, CaseIterable { case to }
    /// The fields that it may have.
    package typealias Field = CodingKeys
}

/// A command that takes nothing: an empty object.
package struct EmptyRequest: Hashable, Sendable, Codable, KnownFields {
    /// Makes the message.
    package init() {}

    /// There are none.
    package enum Field: CodingKey, CaseIterable {}
}

/// Another source for the same file; what is nil stays as it is.
package struct SourceRequest: Hashable, Sendable, Codable, KnownFields {
    /// The new URL.
    package var url: String?
    /// The new headers.
    package var headers: [DownloadSpec.Header]?
    /// The password of its user.
    package var password: String?
    /// The new token.
    package var bearerToken: String?

    /// Makes a message that changes nothing.
    package init() {}

    /// The fields that it may have.
    package enum CodingKeys: String, CodingKey, CaseIterable { case url, headers, password, bearerToken }
    /// The fields that it may have.
    package typealias Field = CodingKeys
}

/// What is changed of a download; what is nil stays as it is.
package struct ChangeRequest: Hashable, Sendable, Codable, KnownFields {
    /// -1000 to 1000; the higher one starts first.
    package var priority: Int?
    /// Bytes per second; 0: no limit.
    package var rateLimit: Int64?

    /// Makes the message.
    package init(priority: Int? = nil, rateLimit: Int64? = nil) {
        (self.priority, self.rateLimit) = (priority, rateLimit)
    }

    /// The fields that it may have.
    package enum CodingKeys: String, CodingKey, CaseIterable { case priority, rateLimit }
    /// The fields that it may have.
    package typealias Field = CodingKeys
}

/// Which downloads are meant: those that pass every condition that is set.
package struct FilterMessage: Hashable, Sendable, Codable, KnownFields {
    /// Only these.
    package var ids: [DownloadID]?
    /// Only those with one of these keys.
    package var keys: [String]?
    /// Only those of one of these groups.
    package var groups: [String]?
    /// Only those with at least one of these tags.
    package var tags: [String]?
    /// Only those with every one of these tags.
    package var requiredTags: [String]?
    /// Only those in one of these states.
    package var states: [DownloadState.Kind]?
    /// Only those whose URL or path contains this text.
    package var search: String?

    /// Makes a filter that all pass.
    package init() {}

    /// Tells a filter.
    package init(_ filter: DownloadFilter) {
        ids = filter.ids?.sorted()
        keys = filter.keys?.sorted()
        groups = filter.groups?.sorted()
        tags = filter.tags?.sorted()
        requiredTags = filter.requiredTags?.sorted()
        states = filter.states?.sorted { $0.rawValue < $1.rawValue }
        search = filter.text
    }

    /// The filter that was told.
    package var filter: DownloadFilter {
        var filter = DownloadFilter()
        filter.ids = ids.map { Set($0) }
        filter.keys = keys.map { Set($0) }
        filter.groups = groups.map { Set($0) }
        filter.tags = tags.map { Set($0) }
        filter.requiredTags = requiredTags.map { Set($0) }
        filter.states = states.map { Set($0) }
        filter.text = search
        return filter
    }

    /// The fields that it may have.
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case ids, keys, groups, tags, requiredTags, states, search
    }
    /// The fields that it may have.
    package typealias Field = CodingKeys
}

/// One thing done to many downloads; those that it does not fit are passed over.
package struct ActionRequest: Hashable, Sendable, Codable, KnownFields {
    /// What is done.
    package var action: Action
    /// To which; a filter without a condition is refused, so that nothing happens to all by accident.
    package var filter: FilterMessage?
    /// Whether it is done to all.
    package var all: Bool?
    /// With `cancel`: see `CancelRequest`.
    package var keepPartial: Bool?
    /// With `retry`: see `RetryRequest`.
    package var fromStart: Bool?
    /// With `remove`: which files go with the records; nil: the partials.
    package var files: RemovedFiles?
    /// With `set`: see `ChangeRequest`.
    package var priority: Int?
    /// With `set`: see `ChangeRequest`.
    package var rateLimit: Int64?

    /// Makes the message.
    package init(_ action: Action, filter: FilterMessage? = nil, all: Bool? = nil) {
        (self.action, self.filter, self.all) = (action, filter, all)
    }

    /// What can be done to many.
    package enum Action: String, Hashable, Sendable, Codable, CaseIterable {
        case pause, resume, cancel, remove, retry, start, set
    }

    /// The fields that it may have.
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case action, filter, all, keepPartial, fromStart, files, priority, rateLimit
    }
    /// The fields that it may have.
    package typealias Field = CodingKeys
}

/// How many downloads an action has changed.
package struct ActionMessage: Hashable, Sendable, Codable {
    /// How many.
    package var changed: Int

    /// Makes the message.
    package init(changed: Int) { self.changed = changed }
}
