import HaulCore

/// The options that can't be used, each with what would be right.
package struct InvalidOptions: Error, Hashable, Sendable {
    /// One line each.
    package private(set) var messages: [String] = []

    /// Makes an empty list.
    package init() {}

    /// Adds a line, without the credentials of a URL that stands in the wrong place.
    package mutating func add(_ message: String) {
        // What follows from a problem that explains everything says nothing new.
        guard messages != [HabitHint.connectionsHint] else { return }
        messages.append(URLRedaction.inText(message))
    }

    /// Adds a line that may follow from the others: only if there are none.
    mutating func addIfNone(_ message: @autoclosure () -> String) {
        if messages.isEmpty { add(message()) }
    }

    /// Replaces all lines by one that explains the others.
    mutating func insist(_ message: String) { messages = [message] }

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
