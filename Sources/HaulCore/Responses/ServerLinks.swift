import HTTPTypes

/// What the `Link` headers of an answer say of the file (RFC 6249): where else it is, and which documents describe it.
package struct ServerLinks: Hashable, Sendable {
    /// Where the file is, too.
    package var mirrors: [LinkedMirror] = []
    /// Metalink documents, as they are sent: they may be relative.
    package var descriptions: [String] = []

    private static let link = HTTPField.Name("Link")

    /// Makes no links.
    package init() {}

    /// Reads the headers of an answer, the one to a redirect not least; at most 16 mirrors and 4 documents.
    package init(_ fields: ResponseHeaders) {
        guard let name = Self.link else { return }
        let values = fields[values: name]
        guard !values.isEmpty else { return }
        mirrors = LinkedMirror.list(values)
        let links = values.flatMap(LinkValue.list).filter(\.isMetalink)
        descriptions = links.prefix(4).map(\.target)
    }

    /// Whether they say nothing.
    package var areEmpty: Bool { mirrors.isEmpty && descriptions.isEmpty }
}

extension LinkValue {
    /// Whether it leads to a Metalink that describes the resource (RFC 6249, section 4.1; version 3 has a type of its own).
    fileprivate var isMetalink: Bool {
        let type = (parameters["type"] ?? "").lowercased().prefix { $0 != ";" && $0 != " " }
        return relations.contains("describedby")
            && ["application/metalink4+xml", "application/metalink+xml"].contains(String(type))
    }
}
