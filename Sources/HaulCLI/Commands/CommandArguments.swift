import ArgumentParser

/// The arguments of the process as the parser wants them.
package enum CommandArguments {
    /// Returns the arguments with `get` before them if they begin with a download instead of a command, and with empty values as arguments of
    /// their own.
    ///
    /// The parser takes the argument behind `--output=` for its value: in `--output="$name" URL` with an empty variable that is the URL.
    package static func completed(_ arguments: [String]) -> [String] {
        let options = arguments.prefix { $0 != "--" }.flatMap { argument in
            isEmptyValue(argument) ? [String(argument.dropLast()), ""] : separated(argument)
        }
        let all = options + arguments.drop { $0 != "--" }
        return isGet(arguments) ? ["get"] + all : all
    }

    /// Returns an option whose value may be left out and its value as two arguments.
    ///
    /// The parser loses the value of `--retry-failed=CODES` if another option follows.
    private static func separated(_ argument: String) -> [String] {
        guard argument.hasPrefix(retryFailed + "=") else { return [argument] }
        return [retryFailed, String(argument.dropFirst(retryFailed.count + 1))]
    }

    private static let retryFailed = "--retry-failed"

    /// `--name=`.
    private static func isEmptyValue(_ argument: String) -> Bool {
        argument.hasPrefix("--") && argument.firstIndex(of: "=") == argument.indices.last && argument.count > 3
    }

    /// Whether `haul ARGUMENTS` means `haul get ARGUMENTS`.
    ///
    /// The name of a command does not look like a download. The list of commands is not asked, since it makes all their help texts.
    private static func isGet(_ arguments: [String]) -> Bool {
        guard let first = arguments.first else { return false }
        guard first.hasPrefix("-") else { return URLArgument.looksLikeDownload(first) }
        // The root has only these options. With any other, the URL may be missing by mistake, which `get` explains.
        return !["-h", "--help", "--version", "--help-hidden"].contains(first)
    }
}
