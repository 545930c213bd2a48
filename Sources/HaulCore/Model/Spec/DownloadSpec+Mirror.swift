extension DownloadSpec {
    /// Another source of the same file.
    ///
    /// Its answers are measured against what the others say, and its bytes are compared with theirs before they are taken, unless a
    /// checksum or piece hashes vouch for all bytes at the end.
    public struct Mirror: Hashable, Sendable, Codable {
        /// Where the file is, too.
        ///
        /// Headers of the caller are sent to it only where it is of the same origin as the main URL.
        public var url: String
        /// Which source is asked first: 1 is the best, the main URL has 1 (RFC 5854, section 4.2.16.2).
        public var priority: Int
        /// Where it stands, as a country code, if that is known (RFC 5854, section 4.2.16.1).
        public var location: String?

        /// Makes a mirror.
        public init(url: String, priority: Int = 1, location: String? = nil) {
            self.url = url
            self.priority = priority
            self.location = location
        }
    }
}
