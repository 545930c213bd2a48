/// The given values of options, by name; all of them are valid.
package struct Aria2Options: Hashable, Sendable {
    private var values: [String: String] = [:]

    /// Creates options without values.
    package init() {}

    /// Returns the given value; the entries of a list are lines.
    package subscript(name: String) -> String? {
        guard let value = values[name] else { return nil }
        return value.isEmpty && Aria2Option.named(name)?.mayBeEmpty == true ? nil : value
    }

    /// Returns the effective value: the given one, otherwise the default.
    package func effective(_ name: String) -> String? { self[name] ?? Aria2Option.named(name)?.standard }

    /// Returns true if a flag is set.
    package func isSet(_ name: String) -> Bool { effective(name) == "true" }

    /// Returns the effective number, 0 if there is none.
    package func number(_ name: String) -> Int64 { effective(name).flatMap { Int64($0) } ?? 0 }

    /// Returns the entries of a list.
    package func list(_ name: String) -> [String] {
        values[name]?.split(separator: "\n", omittingEmptySubsequences: true).map(String.init) ?? []
    }

    /// The names of the given options, sorted.
    package var names: [String] { values.keys.sorted() }

    /// Adds a value; for a list, an additional entry.
    ///
    /// - Throws: `Aria2Failure` that names the option if the value is invalid.
    package mutating func take(_ option: Aria2Option, _ text: String) throws(Aria2Failure) {
        guard let value = option.value(text) else { throw .option(option.name, reason: option.problem(text)) }
        let isAbsent = value.isEmpty && option.mayBeEmpty
        if let refusal = option.refusal, !isAbsent, value != option.standard, !option.accepted.contains(value) {
            throw .unsupported(option.name, refusal)
        }
        // The folder for all downloads still applies. Other empty paths override earlier ones.
        guard !isAbsent || option.name != "dir" else { return forget(option.name) }
        if option.kind == .list, let before = values[option.name], !value.isEmpty {
            values[option.name] = before + "\n" + value
        } else {
            values[option.name] = value
        }
    }

    /// Adds the values of other options, which override the existing ones.
    package mutating func take(_ other: Aria2Options) { values.merge(other.values) { $1 } }

    /// Removes a value.
    package mutating func forget(_ name: String) { values[name] = nil }

    /// Returns the options that satisfy a condition.
    package func filter(_ passes: (Aria2Option) -> Bool) -> Aria2Options {
        var result = self
        result.values = values.filter { Aria2Option.named($0.key).map(passes) ?? false }
        return result
    }

    /// Parses the options of a call.
    ///
    /// Unknown options and those outside their scope are ignored, as in aria2.
    ///
    /// - Throws: `Aria2Failure` if a value is invalid.
    package init(_ members: [JSON.Member], _ scope: Aria2Option.Scope) throws(Aria2Failure) {
        for member in members {
            guard let option = Aria2Option.named(member.name), option.scope.isSuperset(of: scope) else { continue }
            if case .list = option.kind, let elements = member.value.elements {
                values[option.name] = nil
                for element in elements {
                    guard let text = element.text else { throw .option(option.name) }
                    try take(option, text)
                }
            } else if case .list = option.kind, let text = member.value.text {
                // The lines reported by `aria2.getOption` are accepted in the same form.
                values[option.name] = nil
                // Other line breaks of Unicode may be part of a value.
                for line in text.split(whereSeparator: { ["\n", "\r", "\r\n"].contains($0) }) {
                    try take(option, String(line))
                }
            } else {
                guard let text = member.value.scalarText else { throw .option(option.name) }
                try take(option, option.expandingHome(text))
            }
        }
    }
}

extension JSON {
    /// The text of a value from a client that does not use strings only: `true`, `5`.
    fileprivate var scalarText: String? {
        switch self {
        case .string(let text), .number(let text): text
        case .bool(let truth): truth ? "true" : "false"
        case .null, .array, .object: nil
        }
    }
}

extension Aria2Failure {
    /// Returns the error for an unsupported option.
    static func unsupported(_ name: String, _ reason: String) -> Aria2Failure {
        refused("The option '--\(name)' is not supported: \(reason).")
    }
}
