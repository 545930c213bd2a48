import HaulCore

/// The options that can't be used, each with what would be right.
package struct InvalidOptions: Error, Hashable, Sendable {
    /// What is wrong with one of them.
    package struct Problem: Hashable, Sendable {
        /// The line that says it.
        package let message: String
        /// Lines that show where, or none.
        package let excerpt: [String]
    }

    /// All of them.
    package private(set) var problems: [Problem] = []

    /// One line each.
    package var messages: [String] { problems.map(\.message) }

    /// Where the values of options come from, by `--NAME`: a variable, or a line of a file; others are of the command line.
    private let places: [String: String]

    /// Makes an empty list.
    package init(places: [String: String] = [:]) { self.places = places }

    /// Adds a line, without the credentials of a URL that stands in the wrong place.
    ///
    /// - Parameter excerpt: Lines without secrets that show where the problem is.
    package mutating func add(_ message: String, excerpt: [String] = []) {
        // What follows from a problem that explains everything says nothing new.
        guard messages != [HabitHint.connectionsHint] else { return }
        problems.append(Problem(message: URLRedaction.inText(placed(message)), excerpt: excerpt))
    }

    /// Adds a line that may follow from the others: only if there are none.
    mutating func addIfNone(_ message: @autoclosure () -> String) {
        if problems.isEmpty { add(message()) }
    }

    /// Replaces all lines by one that explains the others.
    mutating func insist(_ message: String) { problems = [Problem(message: message, excerpt: [])] }

    /// The message with the place of the value instead of the option that it begins with.
    private func placed(_ message: String) -> String {
        let option = message.prefix { $0 != ":" && $0 != " " }
        return places[String(option)].map { $0 + message.dropFirst(option.count) } ?? message
    }

    /// Reads the value of an option; what is wrong is noted under its name, and nil returned.
    mutating func read<Value>(_ option: String, _ parse: () throws(DownloadError) -> Value) -> Value? {
        do throws(DownloadError) {
            return try parse()
        } catch {
            add(option.isEmpty ? error.description : "\(option): \(error.description)")
            return nil
        }
    }
}
