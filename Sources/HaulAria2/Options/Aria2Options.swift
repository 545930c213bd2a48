/// Values of options that were given, by name; every one of them was read.
package struct Aria2Options: Hashable, Sendable {
    private var values: [String: String] = [:]

    /// Makes options of which none is given.
    package init() {}

    /// The value that was given; a list's entries are lines.
    package subscript(name: String) -> String? { values[name] }

    /// The value that counts: what was given, else what is the standard.
    package func effective(_ name: String) -> String? { values[name] ?? Aria2Option.named(name)?.standard }

    /// Whether a flag is set.
    package func isSet(_ name: String) -> Bool { effective(name) == "true" }

    /// The number that counts, 0 where there is none.
    package func number(_ name: String) -> Int64 { effective(name).flatMap { Int64($0) } ?? 0 }

    /// The entries of a list.
    package func list(_ name: String) -> [String] {
        values[name]?.split(separator: "\n", omittingEmptySubsequences: true).map(String.init) ?? []
    }

    /// The names of what was given, sorted.
    package var names: [String] { values.keys.sorted() }

    /// Takes a value; one more entry where the option is a list.
    ///
    /// - Throws: `Aria2Failure` that names the option where it can't be its value.
    package mutating func take(_ option: Aria2Option, _ text: String) throws(Aria2Failure) {
        guard let value = option.value(text) else { throw .option(option.name) }
        if let refusal = option.refusal, value != option.standard { throw .unsupported(option.name, refusal) }
        if option.kind == .list, let before = values[option.name], !value.isEmpty {
            values[option.name] = before + "\n" + value
        } else {
            values[option.name] = value
        }
    }

    /// Takes all that was given there; it counts before what is here.
    package mutating func take(_ other: Aria2Options) { values.merge(other.values) { $1 } }

    /// Forgets what was given.
    package mutating func forget(_ name: String) { values[name] = nil }

    /// Those that pass.
    package func filter(_ passes: (Aria2Option) -> Bool) -> Aria2Options {
        var result = self
        result.values = values.filter { Aria2Option.named($0.key).map(passes) ?? false }
        return result
    }

    /// Reads the options of a call: unknown ones are left out, as with aria2, and so are those that have no place there.
    ///
    /// - Throws: `Aria2Failure` where a value can't be used.
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
                // What `aria2.getOption` tells as lines comes back so.
                values[option.name] = nil
                for line in text.split(whereSeparator: \.isNewline) { try take(option, String(line)) }
            } else {
                guard let text = member.value.scalarText else { throw .option(option.name) }
                try take(option, text)
            }
        }
    }
}

extension JSON {
    /// A value as a client may write it that does not keep to texts: `true`, `5`.
    fileprivate var scalarText: String? {
        switch self {
        case .string(let text), .number(let text): text
        case .bool(let truth): truth ? "true" : "false"
        case .null, .array, .object: nil
        }
    }
}

extension Aria2Failure {
    /// Haul has no such thing.
    static func unsupported(_ name: String, _ reason: String) -> Aria2Failure {
        refused("The option '--\(name)' is not supported: \(reason).")
    }
}
