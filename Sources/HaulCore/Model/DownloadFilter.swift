/// Which downloads are meant: those that pass every condition that is set.
public struct DownloadFilter: Hashable, Sendable, Codable {
    /// Only these.
    public var ids: Set<DownloadID>?
    /// Only those with one of these keys.
    public var keys: Set<String>?
    /// Only those of one of these groups.
    public var groups: Set<String>?
    /// Only those with at least one of these tags.
    public var tags: Set<String>?
    /// Only those with every one of these tags.
    public var requiredTags: Set<String>?
    /// Only those in one of these states.
    public var states: Set<DownloadState.Kind>?
    /// Only those whose URL or path contains this text, upper or lower case.
    public var text: String?

    /// Makes a filter that all downloads pass.
    public init() {}

    /// All downloads.
    public static let all = DownloadFilter()

    /// Those of a group.
    public static func group(_ name: String) -> DownloadFilter {
        var filter = DownloadFilter()
        filter.groups = [name]
        return filter
    }

    /// Those with a tag.
    public static func tag(_ name: String) -> DownloadFilter {
        var filter = DownloadFilter()
        filter.tags = [name]
        return filter
    }

    /// Those in one of these states.
    public static func state(_ kinds: DownloadState.Kind...) -> DownloadFilter {
        var filter = DownloadFilter()
        filter.states = Set(kinds)
        return filter
    }

    /// Those with these identities.
    public static func ids(_ ids: some Sequence<DownloadID>) -> DownloadFilter {
        var filter = DownloadFilter()
        filter.ids = Set(ids)
        return filter
    }
}
