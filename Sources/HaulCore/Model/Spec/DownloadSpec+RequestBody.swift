#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension DownloadSpec {
    /// The body of a request.
    ///
    /// Like a password, it is never written to the list, to events or to logs: of a stored body, only a fingerprint
    /// remains. Its textual descriptions contain the number of bytes only.
    public struct RequestBody: Sendable, Hashable {
        /// The bytes; empty if the body was not stored.
        public var bytes: [UInt8] { didSet { missing = nil } }
        /// The value of `Content-Type`, unless the headers of the download have one; nil for none.
        public var mediaType: String?
        /// The fingerprint of the bytes that were not stored; nil if the bytes are known.
        private var missing: String?

        /// The maximum number of bytes.
        package static let maximum = 16 << 20

        /// Creates a body.
        public init(_ bytes: some Sequence<UInt8>, mediaType: String? = nil) {
            self.bytes = Array(bytes)
            self.mediaType = mediaType
        }

        /// Creates a body from a text, in UTF-8.
        public init(_ text: String, mediaType: String? = nil) { self.init(text.utf8, mediaType: mediaType) }

        /// True if only the fingerprint of the body was stored.
        package var isMissing: Bool { missing != nil }

        /// The body as it may be stored.
        package var withoutBytes: Self {
            var body = self
            let known = fingerprint
            body.bytes = []
            body.missing = known
            return body
        }

        /// A number that differs for different bodies (FNV-1a), in hexadecimal digits.
        package var fingerprint: String {
            if let missing { return missing }
            var hash: UInt64 = 0xCBF2_9CE4_8422_2325
            for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            let digits = String(hash, radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }
    }
}

extension DownloadSpec.RequestBody: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The number of bytes.
    public var description: String { isMissing ? "not stored" : "\(bytes.count) bytes" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// Hides the bytes from `dump`, too.
    public var customMirror: Mirror { Mirror(self, children: ["mediaType": mediaType as Any]) }
}

extension DownloadSpec.RequestBody: Codable {
    private enum CodingKeys: String, CodingKey { case text, base64, fingerprint, mediaType }

    /// Decodes a body: `text`, `base64`, or the fingerprint of a body that was not stored.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init([], mediaType: try values.decodeIfPresent(String.self, forKey: .mediaType))
        if let text = try values.decodeIfPresent(String.self, forKey: .text) {
            bytes = Array(text.utf8)
        } else if let text = try values.decodeIfPresent(String.self, forKey: .base64) {
            guard let data = Data(base64Encoded: text) else {
                throw DecodingError.dataCorruptedError(forKey: .base64, in: values, debugDescription: "invalid base64")
            }
            bytes = Array(data)
        } else {
            missing = try values.decodeIfPresent(String.self, forKey: .fingerprint)
        }
    }

    /// Encodes the body as a text if it is valid UTF-8, otherwise in base64; one that was not stored as its
    /// fingerprint.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encodeIfPresent(mediaType, forKey: .mediaType)
        if let missing {
            try values.encode(missing, forKey: .fingerprint)
        } else if let text = String(validating: bytes, as: UTF8.self) {
            try values.encode(text, forKey: .text)
        } else {
            try values.encode(Data(bytes).base64EncodedString(), forKey: .base64)
        }
    }
}

extension DownloadSpec.Source {
    /// The method of the request: the one given, otherwise `POST` with a body and `GET` without one.
    package var requestMethod: String { method ?? (body == nil ? "GET" : "POST") }

    /// The form of the first request.
    package var form: RequestForm { RequestForm(method: requestMethod, hasBody: body != nil) }

    /// The part of the source's identity that a method other than GET and a body add: empty for a plain GET.
    package var requestIdentity: String {
        form.isGet ? "" : " \(requestMethod)" + (body.map { " body:\($0.fingerprint)" } ?? "")
    }

    /// Checks that a method can be sent.
    static func check(_ method: String?) throws(DownloadError) {
        guard let method else { return }
        let isToken =
            !method.isEmpty && method.utf8.count <= 32
            && method.utf8.allSatisfy {
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) || $0.isASCIIDigit || $0 == UInt8(ascii: "-")
                    || $0 == UInt8(ascii: "_")
            }
        guard isToken, !["HEAD", "CONNECT", "TRACE"].contains(method) else {
            throw DownloadError(
                .invalidRequest,
                "invalid method \"\(URLRedaction.quoted(method, width: 40))\": expected GET, POST, PUT or the like, in capitals"
            )
        }
    }

    /// Checks that a body from a request can be sent.
    static func check(_ body: DownloadSpec.RequestBody?) throws(DownloadError) {
        guard let body else { return }
        guard !body.isMissing else {
            throw DownloadError(.invalidRequest, "body must have text or base64")
        }
        guard body.bytes.count <= DownloadSpec.RequestBody.maximum else {
            throw DownloadError(
                .invalidRequest,
                "body must have at most \(DownloadSpec.RequestBody.maximum) bytes, not \(body.bytes.count)"
            )
        }
        guard body.mediaType?.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) != true else {
            throw DownloadError(.invalidRequest, "mediaType of the body has a control character: write it on one line")
        }
    }
}

extension DownloadSpec {
    /// True if the request may be sent again although the server may have carried it out.
    package var mayRepeat: Bool { source.form.isIdempotent || transfer.repeatsRequest }

    /// Checks that the method and the body fit the rest of the spec.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest`.
    package func checkRequest(to url: SourceURL) throws(DownloadError) {
        try Source.check(source.method)
        guard source.requestMethod != "GET" else {
            guard source.body == nil else {
                throw DownloadError(.invalidRequest, "a GET request can't have a body: use POST")
            }
            return
        }
        if source.body?.isMissing != true { try Source.check(source.body) }
        let method = source.requestMethod
        guard url.isWeb else {
            throw DownloadError(.invalidRequest, "\(method) can be sent only to http and https URLs")
        }
        guard source.mirrors.isEmpty else {
            throw DownloadError(.invalidRequest, "a \(method) request can't be combined with mirrors")
        }
        guard source.range == nil else {
            throw DownloadError(.invalidRequest, "a \(method) request can't be combined with a range")
        }
        guard !verification.findsChecksum else {
            throw DownloadError(
                .invalidRequest, "a \(method) request can't be combined with a search for its checksum")
        }
        // RFC 9112, section 6: they would contradict the body.
        for name in ["content-length", "transfer-encoding"]
        where access.headers.contains(where: {
            $0.name.lowercased() == name
        }) {
            throw DownloadError(.invalidRequest, "the header \(name) can't be set: it follows from the body")
        }
    }
}
