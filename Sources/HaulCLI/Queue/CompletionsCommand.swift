import ArgumentParser
import HaulClient
import HaulCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `haul completions`.
struct CompletionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions", abstract: "Print a shell completion script.",
        discussion: """
            bash: haul completions bash > ~/.local/share/bash-completion/completions/haul
            zsh:  haul completions zsh > ~/.zfunc/_haul
            fish: haul completions fish > ~/.config/fish/completions/haul.fish

            Create the folder first if it is missing. For zsh, ~/.zshrc must contain
            fpath=(~/.zfunc $fpath) before it calls compinit.
            """)

    @Argument(
        help: ArgumentHelp("bash, zsh or fish.", valueName: "shell"),
        completion: .list(CompletionShell.allCases.map(\.rawValue))) var shell: String

    func run() throws {
        guard let shell = CompletionShell(rawValue: shell) else {
            var problems = InvalidOptions()
            problems.add(
                "invalid value \"\(shell)\": expected one of \(CompletionShell.allCases.map(\.rawValue).joined(separator: ", "))"
            )
            throw problems
        }
        OutputFile.standardOutput.write(CompletionScript.text(for: shell))
    }
}
