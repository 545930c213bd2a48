/// A first answer that brings the whole of a small file, so that nothing is left to be decided but whether its bytes are right.
package struct SmallFileResponse: Hashable, Sendable {
    /// The size of the file.
    package let total: Int64
    /// What it must have; nil: nothing is known.
    package let wanted: FoundChecksum?
    /// `Last-Modified` in seconds since 1970.
    package let modified: Int64?
    /// The `Content-Disposition` value.
    package let contentDisposition: String?
    /// Whether its media type is that of a web page.
    package let isWebPage: Bool

    /// Files that are at most so large are kept in memory until they are whole.
    package static let largest: Int64 = 256 << 10

    /// Reads an answer.
    ///
    /// - Returns: nil where there is more to decide, which is the machine's.
    package init?(_ decision: ResponseDecision, for configuration: MachineConfiguration) {
        guard case .take(let facts) = decision, let total = facts.total, facts.offset == 0, facts.end == total,
            total <= Self.largest, configuration.expectedBytes.map({ $0 == total }) ?? true,
            !configuration.usesLinkedMirrors || facts.links.areEmpty
        else { return nil }
        let reported = configuration.usesHeaderChecksum ? facts.digest : nil
        // A header that contradicts the caller is worth a word.
        if let mine = configuration.checksum, let reported, mine.algorithm == reported.checksum.algorithm, mine != reported.checksum
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

    /// By what a file is verified that has the digest that is wanted, or from which none is.
    package var verification: Verification { wanted.map { .checksum($0.checksum, $0.origin) } ?? .size }
}

extension MachineConfiguration {
    /// Whether one answer can be all there is to a download: no piece, part or source of it needs the machine.
    package var mayBeSmall: Bool {
        url.isWeb && window == nil && maxTime == nil && streamWindow == nil && pieces == nil && mirrors.isEmpty
            && expectedBytes.map { $0 <= SmallFileResponse.largest } ?? true
    }
}
