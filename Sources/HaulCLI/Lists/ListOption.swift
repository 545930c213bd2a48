/// An option of one download in a list: its name and its value.
package struct ListOption: Hashable, Sendable {
    /// The name, such as `out`.
    package let name: String
    /// The value; it may be a credential, and is never repeated in a message.
    package let value: String
    /// The number of its line; nil if it is in the line of its download.
    package var line: Int?

    /// Creates an option.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// The name as on the command line: `limitRate` is `limit-rate`, too.
    var written: String {
        var words = ""
        for scalar in name.unicodeScalars {
            if ("A"..."Z").contains(scalar) { words += "-" }
            words += scalar.properties.lowercaseMapping
        }
        return words
    }
}
