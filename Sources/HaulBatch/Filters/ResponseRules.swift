/// A reason not to keep a file.
package struct RowRefusal: Hashable, Sendable {
    /// The code of a row that can't be fetched as it is in the manifest.
    package static let invalidRow = "invalidRow"
    /// All codes.
    package static let codes = ["tooLarge", "mediaType", "robotsTag", "robotsText", invalidRow]

    /// The code in the results, one of `codes`.
    package let code: String
    /// A sentence.
    package let message: String

    /// Creates a refusal.
    package init(_ code: String, _ message: String) { (self.code, self.message) = (code, message) }
}

/// The rules that a response must follow.
package struct ResponseRules: Hashable, Sendable {
    /// The maximum size in bytes; nil for no limit.
    package var maxSize: Int64?
    /// The media types that are kept, such as `image/jpeg` or `image/*`; empty for all.
    package var accepted: [String] = []
    /// The directives of `X-Robots-Tag` that refuse a file.
    package var disallowed: Set<String> = []
    /// The name of the client in lower case.
    package var agent = "haul"

    /// Creates rules that allow everything.
    package init() {}

    /// Judges a response by its head; nil if the body may be read.
    package func judge(contentLength: Int64?, contentType: String?, robotsTags: [String]) -> RowRefusal? {
        if let found = RobotsTag.disallowed(robotsTags, disallowed, agent: agent) {
            return RowRefusal("robotsTag", "the server disallows it: X-Robots-Tag has \(found)")
        }
        if let contentLength, let refusal = judge(size: contentLength) { return refusal }
        if let type = MediaType.declared(contentType), !accepts(type) {
            return RowRefusal("mediaType", "the media type is \(type)")
        }
        return nil
    }

    /// Judges a body by the number of bytes.
    package func judge(size: Int64) -> RowRefusal? {
        guard let maxSize, size > maxSize else { return nil }
        return RowRefusal("tooLarge", "larger than \(maxSize) bytes")
    }

    /// Judges a body by its first bytes, and by the header if they do not show the type.
    package func judge(start: some Collection<UInt8>, contentType: String?) -> RowRefusal? {
        guard !accepted.isEmpty else { return nil }
        if start.isEmpty, !accepted.contains("*/*") { return RowRefusal("mediaType", "the content is empty") }
        // A content of an unknown type is accepted as what servers call it.
        let type = MediaType.detect(start) ?? MediaType.declared(contentType) ?? "application/octet-stream"
        return accepts(type) ? nil : RowRefusal("mediaType", "the content is \(type)")
    }

    private func accepts(_ type: String) -> Bool {
        accepted.isEmpty
            || accepted.contains { pattern in
                pattern == "*/*" || pattern == type
                    || pattern.hasSuffix("/*") && type.hasPrefix(pattern.dropLast())
            }
    }
}
