extension DownloadSpec {
    /// A header line.
    public struct Header: Hashable, Sendable, Codable {
        /// The name of the field.
        public var name: String
        /// The value of the field: an empty one removes the field, also one that Haul sends otherwise; blanks send an
        /// empty field.
        public var value: String

        /// Creates a header line.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }

        /// The reason why the field can't be set for a download; nil if it can.
        ///
        /// No transport sends these two, so to accept them would be to drop them silently.
        package var refusal: String? {
            switch name.lowercased() {
            case "host": "the header Host can't be set: it follows from the URL"
            case "proxy-authorization": "the header Proxy-Authorization can't be set: the server would get it"
            default: nil
            }
        }
    }
}
