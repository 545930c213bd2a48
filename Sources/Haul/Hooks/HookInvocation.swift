import HaulCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How a hook is run: a value that follows from the command and from what happened, and from nothing else.
package struct HookInvocation: Hashable, Sendable {
    /// The program and what it gets after its own name.
    package let arguments: [String]
    /// The variables that are set.
    package let variables: [String: String]
    /// What stands on its standard input: one JSON object and a line break.
    package let input: [UInt8]
    /// How long it may run.
    package let timeout: Duration

    /// What the names of all our variables begin with.
    package static let prefix = "HAUL_"

    /// The longest value of a variable in bytes; a longer one is not set, and stands in the JSON object only.
    ///
    /// Linux starts no program with a longer one than 128 KiB (execve(2), MAX_ARG_STRLEN).
    package static let maxValue = 32 * 1024

    /// Makes the invocation.
    package init(_ command: HookCommand, _ context: HookContext) {
        arguments = command.arguments
        timeout = command.timeout
        variables = Self.variables(context)
        input = Self.json(context)
    }

    /// What has to change in an environment with these names: whatever begins with `HAUL_` goes, our variables come.
    package func changes(toEnvironmentWith names: some Sequence<String>) -> [String: String?] {
        var changes: [String: String?] = [:]
        for name in names where name.utf8.starts(with: Self.prefix.utf8) { changes[name] = .some(nil) }
        for (name, value) in variables { changes[name] = .some(value) }
        return changes
    }

    private static func variables(_ context: HookContext) -> [String: String] {
        let known: [(String, String?)] = [
            ("EVENT", context.event.rawValue),
            ("ID", context.id?.description),
            ("KEY", context.key),
            ("URL", context.url),
            ("PATH", context.path),
            ("BYTES", context.totalBytes.map(String.init)),
            ("ERROR", context.error?.description),
            ("ERROR_CODE", context.error?.code.rawValue),
            ("GROUP", context.group),
            ("TAGS", context.tags.isEmpty ? nil : context.tags.joined(separator: ",")),
        ]
        var variables: [String: String] = [:]
        for case (let name, let value?) in known where value.utf8.count <= maxValue {
            // A variable ends at its first NUL (environ(7)): what follows would be lost, unseen.
            variables[prefix + name] = String(decoding: value.utf8.filter { $0 != 0 }, as: UTF8.self)
        }
        return variables
    }

    private static func json(_ context: HookContext) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var value = encoder.singleValueContainer()
            try value.encode(date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        }
        // Nothing in an occasion can fail to encode: text, whole numbers, and a time.
        guard let data = try? encoder.encode(context) else { return [] }
        return Array(data) + [UInt8(ascii: "\n")]
    }
}
