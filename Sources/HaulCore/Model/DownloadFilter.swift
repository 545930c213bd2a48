#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A selection of downloads: those that meet every condition that is set.
public struct DownloadFilter: Hashable, Sendable, Codable {
    /// Only these downloads.
    public var ids: Set<DownloadID>?
    /// Only downloads with one of these keys.
    public var keys: Set<String>?
    /// Only downloads with one of these URLs.
    ///
    /// Two URLs are the same if they are requested in the same way: case of scheme and host, a default port, a fragment,
    /// credentials and the encoding of blanks do not matter.
    public var urls: Set<String>?
    /// Only downloads in one of these groups.
    public var groups: Set<String>?
    /// Only downloads with at least one of these tags.
    public var tags: Set<String>?
    /// Only downloads with all of these tags.
    public var requiredTags: Set<String>?
    /// Only downloads in one of these states.
    public var states: Set<DownloadState.Kind>?
    /// Only downloads that failed, or whose link has expired, with one of these codes.
    public var codes: Set<DownloadError.Code>?
    /// Only downloads from one of these hosts: that of the URL, in the form of `host(_:)`.
    public var hosts: Set<String>?
    /// Only downloads whose URL or path contains this text; case is ignored.
    public var text: String?

    /// Creates a filter that matches all downloads.
    public init() {}

    /// A filter that matches all downloads.
    public static let all = DownloadFilter()

    /// Returns a filter for the downloads with a URL; see `urls`.
    public static func url(_ url: String) -> DownloadFilter {
        var filter = DownloadFilter()
        filter.urls = [url]
        return filter
    }

    /// Returns a filter for the downloads with a URL; see `urls`.
    public static func url(_ url: URL) -> DownloadFilter { .url(url.absoluteString) }

    /// Returns a filter for the downloads of a group.
    public static func group(_ name: String) -> DownloadFilter {
        var filter = DownloadFilter()
        filter.groups = [name]
        return filter
    }

    /// Returns a filter for the downloads with a tag.
    public static func tag(_ name: String) -> DownloadFilter {
        var filter = DownloadFilter()
        filter.tags = [name]
        return filter
    }

    /// Returns a filter for the downloads in one of these states.
    public static func state(_ kinds: DownloadState.Kind...) -> DownloadFilter {
        var filter = DownloadFilter()
        filter.states = Set(kinds)
        return filter
    }

    /// Returns a filter for the downloads that failed with one of these codes.
    public static func failed(_ codes: DownloadError.Code...) -> DownloadFilter {
        var filter = DownloadFilter()
        filter.codes = Set(codes)
        return filter
    }

    /// Returns a filter for the downloads from a host.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if it is not the name or the address of a host.
    public static func host(_ name: String) throws(DownloadError) -> DownloadFilter {
        var filter = DownloadFilter()
        filter.hosts = [try hostName(name)]
        return filter
    }

    /// Returns the name of a host as in `hosts`: in lower case, and in Punycode if it is not ASCII.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if it is not the name or the address of a host.
    package static func hostName(_ name: String) throws(DownloadError) -> String {
        let isAddress = name.utf8.contains(UInt8(ascii: ":")) && !name.hasPrefix("[")
        let text = isAddress ? "[\(name)]" : name
        guard !name.utf8.contains(where: { "/@?#\\".utf8.contains($0) }),
            let url = try? SourceURL(parsing: "http://\(text)/"), url.string == "http://\(url.host)/"
        else {
            throw DownloadError(
                .invalidRequest,
                "invalid host \"\(URLRedaction.quoted(name, width: 100))\": expected a name or an address, as example.org"
            )
        }
        return url.host
    }

    /// Returns the names of hosts as in `hosts`.
    ///
    /// - Throws: As `hostName(_:)`, for the first invalid one.
    package static func hostNames(_ names: some Sequence<String>) throws(DownloadError) -> Set<String> {
        var found: Set<String> = []
        for name in names { found.insert(try hostName(name)) }
        return found
    }

    /// The largest number of bytes of a text to search for.
    private static let longestText = 1000

    /// Returns the filter of a request without its empty conditions, which would match all downloads.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` for a text that is too long, or contains NUL, which SQLite takes
    ///   for the end.
    package func checked() throws(DownloadError) -> DownloadFilter {
        var filter = self
        if filter.text == "" { filter.text = nil }
        if filter.requiredTags == [] { filter.requiredTags = nil }
        let names = [filter.groups, filter.tags, filter.requiredTags].compactMap(\.self).joined()
        guard !names.contains(where: { $0.utf8.contains(0) }), filter.text?.utf8.contains(0) != true else {
            throw DownloadError(.invalidRequest, "a condition of the filter contains NUL")
        }
        guard filter.text?.utf8.count ?? 0 <= Self.longestText else {
            throw DownloadError(
                .invalidRequest, "the text to search for is too long: at most \(Self.longestText) bytes")
        }
        return filter
    }

    /// Returns a filter for the downloads with these identities.
    public static func ids(_ ids: some Sequence<DownloadID>) -> DownloadFilter {
        var filter = DownloadFilter()
        filter.ids = Set(ids)
        return filter
    }
}
