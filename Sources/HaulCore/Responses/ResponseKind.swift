/// The kind of a response, by its media type.
package enum ResponseKind: Hashable, Sendable {
    /// A web page.
    case page
    /// Other text, such as the JSON or XML of an error.
    case text
    /// Anything else, or not stated.
    case other

    /// Reads the value of `Content-Type`.
    package init(contentType: String?) {
        let type = (contentType ?? "").lowercased().prefix { $0 != ";" && $0 != " " }
        if type == "text/html" || type == "application/xhtml+xml" {
            self = .page
        } else if type.hasPrefix("text/") || ["/json", "+json", "/xml", "+xml"].contains(where: type.hasSuffix) {
            self = .text
        } else {
            self = .other
        }
    }
}
