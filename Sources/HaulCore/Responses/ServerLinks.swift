import HTTPTypes

/// The `Link` headers of a response (RFC 6249): mirrors of the file, and documents that describe it.
package struct ServerLinks: Hashable, Sendable {
    /// Mirrors of the file.
    package var mirrors: [LinkedMirror] = []
    /// URLs of Metalink documents as sent; they may be relative.
    package var descriptions: [String] = []

    private static let link = HTTPField.Name("Link")

    /// Makes an empty value.
    package init() {}

    /// Reads the headers of a response, which may be a redirect: at most 16 mirrors and 4 documents.
    package init(_ fields: ResponseHeaders) {
        guard let name = Self.link else { return }
        let values = fields[values: name]
        guard !values.isEmpty else { return }
        mirrors = LinkedMirror.list(values)
        let links = values.flatMap(LinkValue.list).filter(\.isMetalink)
        descriptions = links.prefix(4).map(\.target)
    }

    /// True if there are no links.
    package var areEmpty: Bool { mirrors.isEmpty && descriptions.isEmpty }
}

extension LinkValue {
    /// True if the link leads to a Metalink that describes the resource (RFC 6249, section 4.1; version 3 has its own
    /// media type).
    fileprivate var isMetalink: Bool {
        let type = (parameters["type"] ?? "").lowercased().prefix { $0 != ";" && $0 != " " }
        return relations.contains("describedby")
            && ["application/metalink4+xml", "application/metalink+xml"].contains(String(type))
    }
}
