/// The facts about a rejected certificate that explain the rejection.
package struct CertificateFacts: Hashable, Sendable {
    /// The host names and addresses that the certificate is for.
    package var names: [String]
    /// The start of its validity, in seconds since 1970.
    package var notBefore: Int64
    /// The end of its validity, in seconds since 1970.
    package var notAfter: Int64
    /// True if the certificate names itself as its issuer.
    package var isSelfSigned: Bool

    package init(names: [String], notBefore: Int64, notAfter: Int64, isSelfSigned: Bool) {
        self.names = names
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.isSelfSigned = isSelfSigned
    }

    /// Returns why the certificate was not accepted, worded to follow "the certificate".
    ///
    /// - Parameters:
    ///   - isForOtherHost: True if only the host name did not match.
    ///   - now: The time in seconds since 1970.
    package func problem(isForOtherHost: Bool, now: Int64) -> (detail: DownloadError.Detail, words: String) {
        if isForOtherHost { return (.certificateForOtherHost, Self.forOthers(names)) }
        if notAfter < now { return (.certificateExpired, "has expired: it was valid until \(Self.day(notAfter))") }
        if notBefore > now { return (.certificateNotYetValid, "is not valid before \(Self.day(notBefore))") }
        return isSelfSigned
            ? (.certificateSelfSigned, "is self-signed")
            : (.certificateAuthorityUnknown, "was issued by an authority that is not trusted")
    }

    /// Returns a phrase that says which hosts the certificate is for, with at most three names.
    package static func forOthers(_ names: [String]) -> String {
        let shown = names.prefix(3).map { TerminalText.fitted($0, width: 60) }
        guard !shown.isEmpty else { return "is for another host" }
        let more = names.count > shown.count ? " and \(names.count - shown.count) more" : ""
        return "is for \(shown.joined(separator: ", "))\(more), not for this host"
    }

    private static func day(_ seconds: Int64) -> String {
        let date = CivilDate(daysSince1970: Int64((Double(seconds) / 86_400).rounded(.down)))
        func digits(_ number: Int64, _ count: Int) -> String {
            String(repeating: "0", count: max(0, count - String(number).count)) + String(number)
        }
        return "\(digits(date.year, 4))-\(digits(date.month, 2))-\(digits(date.day, 2))"
    }
}

extension CertificateFacts {
    /// Returns true if a certificate in DER (RFC 5280, section 4.1) names itself as its issuer.
    package static func isSelfIssued(_ der: [UInt8]) -> Bool {
        var whole = der[...]
        guard var certificate = element(of: &whole)?.content, var fields = element(of: &certificate)?.content,
            let first = element(of: &fields)
        else { return false }
        // An optional version comes first, then serial number, algorithm, issuer, validity and subject.
        if first.tag == 0xA0 { _ = element(of: &fields) }
        guard element(of: &fields) != nil, let issuer = element(of: &fields), element(of: &fields) != nil,
            let subject = element(of: &fields)
        else { return false }
        return issuer.content == subject.content
    }

    /// Removes the first element from the bytes (X.690, section 8.1) and returns its tag and content.
    private static func element(of bytes: inout ArraySlice<UInt8>) -> (tag: UInt8, content: ArraySlice<UInt8>)? {
        guard let tag = bytes.popFirst(), var length = bytes.popFirst().map(Int.init) else { return nil }
        if length >= 0x80 {
            let count = length - 0x80
            guard 1...4 ~= count, bytes.count >= count else { return nil }
            length = bytes.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            bytes = bytes.dropFirst(count)
        }
        guard bytes.count >= length else { return nil }
        defer { bytes = bytes.dropFirst(length) }
        return (tag, bytes.prefix(length))
    }
}
