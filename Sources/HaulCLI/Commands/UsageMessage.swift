/// Makes one line of what the argument parser has to say.
package enum UsageMessage {
    /// The message on one line, with where to look for what would be right: the help of `haul` or of that command of it.
    package static func line(_ message: String, command: String?) -> String {
        var line = message.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        if line.last == "." { line.removeLast() }
        line = line.prefix(1).lowercased() + line.dropFirst()
        if line.contains("Did you mean") { return line }
        return "\(line) (see haul \(command.map { "\($0) " } ?? "")--help)"
    }
}
