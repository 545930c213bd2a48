extension FileName {
    /// A name or path as file systems compare it: byte for byte.
    ///
    /// Two strings that differ only in the form of an accented letter are equal in Swift, but name two files.
    package struct Key: Hashable, Sendable {
        private let bytes: [UInt8]

        /// Makes the key of a name or path.
        package init(_ name: String) { bytes = Array(name.utf8) }
    }
}
