import HaulCore
package import HaulManager

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The parameters for running a hook, which depend only on the command and the event.
package struct HookInvocation: Hashable, Sendable {
    /// The program and its arguments.
    package let arguments: [String]
    /// The variables to set.
    package let variables: [String: String]
    /// The standard input: one JSON object and a line break.
    package let input: [UInt8]
    /// The maximum duration.
    package let timeout: Duration
    /// True if the program writes to the standard output and error of this process.
    package let inheritsOutput: Bool

    /// The prefix of the names of all variables.
    package static let prefix = "HAUL_"

    /// The maximum size of a variable's value in bytes; a larger one is passed only in the JSON object.
    ///
    /// Linux starts no program with a value longer than 128 KiB (execve(2), MAX_ARG_STRLEN).
    package static let maxValue = 32 * 1024

    /// Creates the invocation.
    ///
    /// - Parameter common: Variables that all hooks get.
    package init(_ command: HookCommand, _ context: HookContext, common: [String: String] = [:]) {
        arguments = command.arguments
        (timeout, inheritsOutput) = (command.timeout, command.inheritsOutput)
        variables = Self.variables(context).merging(common) { own, _ in own }
        input = Self.json(context)
    }

    /// Returns the changes to an environment with these names: existing `HAUL_` variables are removed, the hook's are
    /// added.
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
            // A variable ends at its first NUL (environ(7)): the rest would be lost silently.
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
        // Text, whole numbers and a time can always be encoded.
        guard let data = try? encoder.encode(context) else { return [] }
        return Array(data) + [UInt8(ascii: "\n")]
    }
}
