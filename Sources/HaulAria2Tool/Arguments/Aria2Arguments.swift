package import HaulAria2

/// The parsed command line of aria2c, which follows getopt_long(3).
///
/// Accepted forms: `--name=value`, `--name value`, an unambiguous prefix of a name, `-x16`, `-x 16`, several flags'
/// letters together. A flag's value is accepted only after `=`, or directly after its letter. Options and URIs may be
/// mixed; after `--` there are only URIs.
package struct Aria2Arguments: Hashable, Sendable {
    /// The error for an invalid command line.
    package struct Failure: Error, Hashable, Sendable {
        /// The message in one line.
        package let message: String
        /// The messages about further options.
        package let others: [String]

        /// Creates the error for an invalid option, with its details.
        init(_ failure: Aria2Failure, place: String = "") {
            self.init(message: place + failure.message + (failure.detail.map { " \($0)" } ?? ""))
        }

        init(message: String, others: [String] = []) { (self.message, self.others) = (message, others) }
    }

    /// The validated options.
    package private(set) var options = Aria2Options()
    /// The arguments that are not options.
    package private(set) var uris: [String] = []

    /// Parses the arguments after the program's name.
    package init(_ arguments: [String]) throws(Failure) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                uris += rest
                break
            } else if argument.hasPrefix("--") {
                try takeLong(argument.dropFirst(2), &rest)
            } else if argument.hasPrefix("-"), argument != "-" {
                try takeLetters(argument.dropFirst(), &rest)
            } else {
                uris.append(argument)
            }
        }
    }

    private mutating func takeLong(_ text: Substring, _ rest: inout ArraySlice<String>) throws(Failure) {
        let halves = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let option = try Self.option(String(halves[0]))
        if halves.count == 2 {
            try take(option, String(halves[1]))
        } else if option.valueIsOptional {
            try take(option, option.kind == .flag ? "true" : "")
        } else {
            guard let value = rest.popFirst() else {
                throw Failure(message: "option '--\(option.name)' requires an argument")
            }
            try take(option, value)
        }
    }

    private static func option(_ name: String) throws(Failure) -> Aria2Option {
        if let option = Aria2Option.named(name) { return option }
        let candidates = name.isEmpty ? [] : Aria2Option.beginning(name)
        if let only = candidates.first, candidates.count == 1 { return only }
        guard candidates.isEmpty else {
            let names = candidates.map { "'--\($0.name)'" }.joined(separator: " ")
            throw Failure(message: "option '--\(name)' is ambiguous; possibilities: \(names)")
        }
        throw Failure(message: "unrecognized option '--\(name)'")
    }

    private mutating func takeLetters(_ text: Substring, _ rest: inout ArraySlice<String>) throws(Failure) {
        var letters = text
        while let letter = letters.popFirst() {
            guard let option = Aria2Option.lettered(letter) else {
                throw Failure(message: "invalid option -- '\(letter)'")
            }
            guard option.valueIsOptional else {
                let value = letters.isEmpty ? rest.popFirst() : String(letters)
                guard let value else { throw Failure(message: "option requires an argument -- '\(letter)'") }
                return try take(option, value)
            }
            guard option.kind == .flag else { return try take(option, String(letters)) }
            if letters == "true" || letters == "false" { return try take(option, String(letters)) }
            try take(option, "true")
        }
    }

    private mutating func take(_ option: Aria2Option, _ value: String) throws(Failure) {
        do throws(Aria2Failure) { try options.take(option, option.expandingHome(value)) } catch {
            throw Failure(error)
        }
    }
}

extension Aria2Option {
    /// True if the option may be given without a value.
    package var valueIsOptional: Bool { kind == .flag || name == "help" }
}
