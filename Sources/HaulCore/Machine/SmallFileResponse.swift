/// A first response that contains the whole of a small file, so that only its integrity is left to be checked.
package struct SmallFileResponse: Hashable, Sendable {
    /// The size of the file.
    package let total: Int64
    /// The checksum that the file must have; nil if none is known.
    package let wanted: FoundChecksum?
    /// `Last-Modified` in seconds since 1970.
    package let modified: Int64?
    /// The `Content-Disposition` value.
    package let contentDisposition: String?
    /// True if its media type is that of a web page.
    package let isWebPage: Bool

    /// The maximum size of files that are kept in memory until they are complete.
    package static let largest: Int64 = 256 << 10

    /// Creates a small-file response from the decision about a response head, or returns nil if more must be decided,
    /// which is left to the machine.
    package init?(_ decision: ResponseDecision, for configuration: MachineConfiguration) {
        guard case .take(let facts) = decision, let total = facts.total, facts.offset == 0, facts.end == total,
            total <= Self.largest, configuration.expectedBytes.map({ $0 == total }) ?? true,
            !configuration.usesLinkedMirrors || facts.links.areEmpty
        else { return nil }
        let reported = configuration.usesHeaderChecksum ? facts.digest : nil
        // A header that contradicts the caller must be reported.
        if let mine = configuration.checksum, let reported, mine.algorithm == reported.checksum.algorithm,
            mine != reported.checksum
        {
            return nil
        }
        self.total = total
        modified = facts.modified
        contentDisposition = facts.contentDisposition
        isWebPage = facts.isWebPage
        wanted =
            configuration.checksum.map { FoundChecksum($0, configuration.checksumOrigin) }
            ?? reported.map { FoundChecksum($0.checksum, .header(name: $0.field, host: configuration.url.host)) }
    }

    /// The verification of a file that has the wanted digest, or for which none is wanted.
    package var verification: Verification { wanted.map { .checksum($0.checksum, $0.origin) } ?? .size }
}

extension MachineConfiguration {
    /// True if one response can complete the download: it is a plain GET without pieces, parts or further sources that need the
    /// machine.
    package var mayBeSmall: Bool {
        form.isGet && url.isWeb && window == nil && transfer.maxTime == nil && streamWindow == nil && pieces == nil
            && mirrors.isEmpty
            && expectedBytes.map { $0 <= SmallFileResponse.largest } ?? true
    }
}
