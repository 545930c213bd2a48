package import HaulCore
import HaulWire

/// Typed access to query parameters.
extension APIRequest {
    /// Rejects a query with an unknown parameter.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest`.
    package func allow(_ names: Set<String>) throws(DownloadError) {
        guard let unknown = query.first(where: { !names.contains($0.name) })?.name else { return }
        let known = names.isEmpty ? "expected none" : "expected one of \(names.sorted().joined(separator: ", "))"
        throw DownloadError(
            .invalidRequest, "unknown query parameter \"\(URLRedaction.quoted(unknown, width: 40))\": \(known)")
    }

    /// Returns an integer; nil if the parameter is missing.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if it is not an integer or out of range.
    package func number(_ name: String, _ range: ClosedRange<Int64>) throws(DownloadError) -> Int64? {
        guard let text = value(name) else { return nil }
        guard let number = Int64(text) else { throw wrong(name, "a whole number") }
        return try Bounds.check(number, range, name)
    }

    /// Returns a number of seconds; nil if the parameter is missing.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if it is not a number or out of range.
    package func seconds(_ name: String, _ range: ClosedRange<Double>) throws(DownloadError) -> Duration? {
        guard let text = value(name) else { return nil }
        guard let number = Double(text), number.isFinite else { throw wrong(name, "a number") }
        return .milliseconds(Int64((try Bounds.check(number, range, name) * 1000).rounded()))
    }

    /// Returns a boolean; nil if the parameter is missing.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if it is neither `true` nor `false`.
    package func flag(_ name: String) throws(DownloadError) -> Bool? {
        guard let text = value(name) else { return nil }
        guard let flag = Bool(text) else { throw wrong(name, "true or false") }
        return flag
    }

    /// Returns one of a set of words; nil if the parameter is missing.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if it is another word.
    package func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String, _ type: Choice.Type
    ) throws(DownloadError) -> Choice? {
        try value(name).map { text throws(DownloadError) in try choice(text, name, type) }
    }

    /// Returns the filter in the query.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest`.
    package func filter() throws(DownloadError) -> DownloadFilter {
        var filter = DownloadFilter()
        if let texts = values("id") {
            filter.ids = []
            for text in texts {
                guard let id = Int64(text) else { throw wrong("id", "a whole number") }
                filter.ids?.insert(DownloadID(rawValue: id))
            }
        }
        if let texts = values("state") {
            filter.states = []
            for text in texts { filter.states?.insert(try choice(text, "state", DownloadState.Kind.self)) }
        }
        filter.keys = values("key").map { Set($0) }
        filter.urls = values("url").map { Set($0) }
        filter.groups = values("group").map { Set($0) }
        filter.tags = values("tag").map { Set($0) }
        filter.requiredTags = values("requiredTag").map { Set($0) }
        if let texts = values("code") {
            filter.codes = []
            for text in texts { filter.codes?.insert(try choice(text, "code", DownloadError.Code.self)) }
        }
        filter.hosts = try values("host").map { names throws(DownloadError) in try DownloadFilter.hostNames(names) }
        filter.text = value("search")
        return try filter.checked()
    }

    /// The names of the parameters that `filter` reads.
    package static let filterFields: Set<String> = [
        "id", "state", "key", "url", "group", "tag", "requiredTag", "code", "host", "search",
    ]

    private func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ text: String, _ name: String, _ type: Choice.Type
    ) throws(DownloadError) -> Choice {
        guard let choice = Choice(rawValue: text) else {
            throw wrong(name, "one of " + Choice.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return choice
    }

    private func wrong(_ name: String, _ what: String) -> DownloadError {
        DownloadError(.invalidRequest, "\(name) must be \(what)")
    }
}

/// Parses a query in the encoding of forms: `a=1&b=x+y%21`.
package enum QueryFields {
    /// Returns the fields, in order; a field with invalid encoding or UTF-8 is left as written.
    package static func read(_ query: String) -> [(name: String, value: String)] {
        query.split(separator: "&").map { field in
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (decoded(parts[0]), parts.count > 1 ? decoded(parts[1]) : "")
        }
    }

    private static func decoded(_ text: Substring) -> String {
        let spaced = text.utf8.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        guard let bytes = PercentCoding.decode(spaced), let decoded = String(validating: bytes, as: UTF8.self) else {
            return String(text)
        }
        return decoded
    }
}
