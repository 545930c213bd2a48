package import HaulCore

/// Which records are meant: those that pass every condition that is set.
package struct StoredFilter: Sendable, Hashable {
    /// Only these.
    package var ids: Set<DownloadID>?
    /// Only those with one of these keys.
    package var keys: Set<String>?
    /// Only those of one of these groups.
    package var groups: Set<String>?
    /// Only those with at least one of these tags.
    package var tags: Set<String>?
    /// Only those with every one of these tags.
    package var requiredTags: Set<String>?
    /// Only those in one of these states.
    package var states: Set<StoredState>?
    /// Only those whose URL or path contains this text, upper or lower case.
    package var text: String?

    /// Makes a filter that sets only what is given.
    package init(
        ids: Set<DownloadID>? = nil, keys: Set<String>? = nil, groups: Set<String>? = nil, tags: Set<String>? = nil,
        states: Set<StoredState>? = nil, text: String? = nil
    ) {
        self.ids = ids
        self.keys = keys
        self.groups = groups
        self.tags = tags
        self.states = states
        self.text = text
    }

    /// A public filter with other states: those that the manager found to stand for the public ones.
    package init(_ filter: DownloadFilter, states: Set<StoredState>?) {
        self.init(
            ids: filter.ids, keys: filter.keys, groups: filter.groups, tags: filter.tags, states: states,
            text: filter.text)
        requiredTags = filter.requiredTags
    }

    /// All records.
    package static let all = StoredFilter()
}
