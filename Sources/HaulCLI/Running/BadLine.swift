import HaulCore

/// A line of an input list that is no URL.
package struct BadLine: Hashable, Sendable {
    /// Its number among the downloads.
    package var id: Int
    /// The list as it was named on the command line; `-` is standard input.
    package var list: String
    /// The line's number, from 1.
    package var line: Int
    /// What is wrong and what would be right.
    package var message: String

    /// Makes the value.
    package init(id: Int, list: String, line: Int, message: String) {
        self.id = id
        self.list = list
        self.line = line
        self.message = URLRedaction.inText(message)
    }
}
