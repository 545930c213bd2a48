import ArgumentParser
import HaulAria2

/// The shell completion script: the argument parser's script, with additions.
///
/// The additions are `haul URL`, which is short for `haul get URL`, the commands after `haul help`, `haul aria2c`, and
/// `haul demo`, which the help does not list.
enum CompletionScript {
    /// Returns the script for a shell.
    static func text(for shell: CompletionShell) -> String {
        let script = HaulCommand.completionScript(for: shell)
        return switch shell {
        case .bash: script + bash
        case .zsh:
            script.replacing("    _haul \"${@}\"\n", with: "    _haul_any \"${@}\"\n")
                .replacing("compdef _haul haul", with: "compdef _haul_any haul")
                .replacing("#compdef haul\n", with: "#compdef haul\n\n" + zsh)
        case .fish: script + fish
        default: script
        }
    }

    private static let commands = HaulCommand.configuration.subcommands.map { $0._commandName }.joined(separator: " ")
    private static let options = Aria2Option.table.filter { $0.scope.contains(.heeded) }.map { "--\($0.name)" }
        .joined(separator: " ")

    private static let bash = """


        _haul_any() {
            local commands='\(commands)'
            local first="${COMP_WORDS[1]}"
            if [[ "${COMP_CWORD}" -gt 1 && "${first}" = aria2c ]]; then
                COMPREPLY=($(compgen -W '\(options)' -f -- "${2}"))
            elif [[ "${COMP_CWORD}" -gt 1 && "${first}" = help ]]; then
                COMPREPLY=($(compgen -W "${commands}" -- "${2}"))
            elif [[ " ${commands} help " != *" ${first} "* && ("${COMP_CWORD}" -gt 1 || "${first}" = -*) ]]; then
                local -a COMP_WORDS=("${COMP_WORDS[0]}" get "${COMP_WORDS[@]:1}")
                local -i COMP_CWORD=$((COMP_CWORD + 1))
                _haul "${@}"
            else
                _haul "${@}"
                [[ "${COMP_CWORD}" -gt 1 ]] || COMPREPLY+=($(compgen -W 'aria2c demo' -- "${2}"))
            fi
        }

        complete -o filenames -F _haul_any haul

        """

    private static let zsh = """
        _haul_any() {
            local -a commands=(\(commands))
            if (( CURRENT > 2 )) && [[ "${words[2]}" = aria2c ]]; then
                _alternative "options:option:(\(options))" 'files:file:_files'
            elif (( CURRENT > 2 )) && [[ "${words[2]}" = help ]]; then
                compadd -a commands
            elif (( ! ${commands[(Ie)${words[2]}]} )) && [[ "${words[2]}" != help ]] \\
                && { (( CURRENT > 2 )) || [[ "${words[2]}" = -* ]]; }; then
                words=("${words[1]}" get "${(@)words[2,-1]}")
                (( CURRENT += 1 ))
                _haul "${@}"
            else
                _haul "${@}"
                (( CURRENT > 2 )) || compadd aria2c demo
            fi
        }

        """

    private static let fish = """


        functions -c __haul_tokens __haul_all_tokens
        function __haul_tokens
            set -l tokens (__haul_all_tokens $argv)
            if test "$argv" = -pc
                if test (count $tokens) -gt 1; and contains -- $tokens[2] aria2c help
                    set tokens
                else if test (count $tokens) -gt 1; and not contains -- $tokens[2] \(commands)
                    set tokens $tokens[1] get $tokens[2..]
                else if test (count $tokens) -eq 1; and string match -q -- '-*' (commandline -t)
                    set tokens $tokens[1] get
                end
            end
            test (count $tokens) -eq 0; or printf '%s\\n' $tokens
        end

        complete -c haul -n 'test (count (__haul_all_tokens -pc)) -eq 1' -fa aria2c -d "aria2's command line"
        complete -c haul -n 'test (count (__haul_all_tokens -pc)) -eq 1' -fa demo -d "A download that is killed and resumed"
        complete -c haul -n 'contains -- help (__haul_all_tokens -pc)[2]' -fka '\(commands)'
        complete -c haul -n 'contains -- aria2c (__haul_all_tokens -pc)[2]' -Fa '\(options)'

        """
}
