/// A name, path or URL as file systems and servers compare it: byte for byte.
///
/// Two strings that differ only in the form of an accented letter are equal in Swift, but name two files.
package struct ByteKey: Hashable, Sendable {
    private let bytes: [UInt8]

    /// Makes the key of a text.
    package init(_ text: String) { bytes = Array(text.utf8) }
}

extension StringProtocol {
    /// Returns true if both texts have the same bytes, as `ByteKey` compares them.
    package func hasBytes(of other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }
}
