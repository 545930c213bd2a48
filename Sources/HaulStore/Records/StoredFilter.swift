package import HaulCore

/// A selection of records: those that match every condition that is set.
package struct StoredFilter: Sendable, Hashable {
    /// Only these.
    package var ids: Set<DownloadID>?
    /// Only those with one of these keys.
    package var keys: Set<String>?
    /// Only those with one of these URLs, see `DownloadFilter.urls`.
    package var urls: Set<String>?
    /// Only those of one of these groups.
    package var groups: Set<String>?
    /// Only those with at least one of these tags.
    package var tags: Set<String>?
    /// Only those with every one of these tags.
    package var requiredTags: Set<String>?
    /// Only those in one of these states.
    package var states: Set<StoredState>?
    /// Only those with an error with one of these codes.
    package var codes: Set<DownloadError.Code>?
    /// Only those from one of these hosts.
    package var hosts: Set<String>?
    /// Only those whose URL or path contains this text, case-insensitively.
    package var text: String?

    /// Creates a filter that sets only the given conditions.
    package init(
        ids: Set<DownloadID>? = nil, keys: Set<String>? = nil, urls: Set<String>? = nil, groups: Set<String>? = nil,
        tags: Set<String>? = nil, states: Set<StoredState>? = nil, text: String? = nil
    ) {
        self.ids = ids
        self.keys = keys
        self.urls = urls
        self.groups = groups
        self.tags = tags
        self.states = states
        self.text = text
    }

    /// Creates a filter from a public one, with the states that correspond to the public states.
    package init(_ filter: DownloadFilter, states: Set<StoredState>?) {
        self.init(
            ids: filter.ids, keys: filter.keys, urls: filter.urls, groups: filter.groups, tags: filter.tags,
            states: states, text: filter.text)
        (requiredTags, codes, hosts) = (filter.requiredTags, filter.codes, filter.hosts)
    }

    /// All records.
    package static let all = StoredFilter()
}
