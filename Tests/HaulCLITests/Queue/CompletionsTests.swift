import ArgumentParser
import Foundation
import Haul
import HaulTesting
import Testing

@testable import HaulCLI

@Suite("Completions of a shell", .enabled(if: BuiltProgram.exists), .timeLimit(.minutes(5)))
struct CompletionsTests {
    /// Completes the last word in bash, as a person does with Tab.
    private static let bash = """
        source <("$1" completions bash)
        shift
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
        _haul_any haul "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}" 2>/dev/null
        printf '%s\\n' "${COMPREPLY[@]}"
        """

    @Test(
        "bash completes values and files",
        arguments: [
            (["get", "--on-conflict", "re"], ["rename", "replace"]), (["get", "--auth", "d"], ["digest"]),
            (["get", "--verbosity", "l"], ["line"]), (["completions", "z"], ["zsh"]),
            (["list", "--state", "pau"], ["paused"]),
            (["get", "-i", "al"], ["alpha.txt"]), (["get", "--output", "al"], ["alpha.txt"]),
            (["get", "-d", "fo"], ["folder"]),
            (["verify", "al"], ["alpha.txt"]), (["get", "--password-file", "al"], ["alpha.txt"]),
            (["add", "--on-conflict", "k"], ["keep"]), (["daemon", "start", "--root", "fo"], ["folder"]),
            (["daemon", "run", "--state-folder", "fo"], ["folder"]),
            (["daemon", "stop", "--socket", "al"], ["alpha.txt"]),
            (["daemon", "start", "--log-format", "js"], ["json"]),
            (["daemon", "run", "--log-level", "not"], ["notice"]),
            (["daemon", "start", "--webhook-on", "st"], ["started"]), (["daemon", "start", "--order", "l"], ["lifo"]),
            (["set", "--order", "f"], ["fifo"]), (["remove", "--files", "pa"], ["partial"]),
            (["why", "al"], ["alpha.txt"]),
            (["get", "-c", "a"], ["auto"]), (["help", "ver"], ["verify"]),
            // Short for get.
            (["--auth", "b"], ["basic"]), (["--out"], ["--output"]), (["h.test/f", "--out"], ["--output"]),
            (["h.test/f", "--on-conflict", "k"], ["keep"]),
            (["aria2"], ["aria2c"]), (["de"], ["demo"]), (["aria2c", "--max-conn"], ["--max-connection-per-server"]),
        ])
    func bash(words: [String], values: [String]) async throws {
        let folder = try TemporaryFolder()
        for name in ["alpha.txt", "folder/f"] {
            try FolderMaker.make(folder.path + "/folder")
            try folder.put([1], name)
        }
        let end = try await BuiltProgram.run(
            ["bash", "-c", Self.bash, "bash", BuiltProgram.path, "haul"] + words, in: folder, program: "/usr/bin/env")
        let found = end.output.split(separator: "\n").map { $0.hasSuffix("/") ? String($0.dropLast()) : String($0) }
        #expect(found.map { $0.replacing(" ", with: "") }.sorted() == values, "\(end.output) \(end.error)")
    }

    @Test(
        "fish completes what is short for get, help's commands and aria2c",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/fish")),
        arguments: [
            ("haul --aut", "--auth"), ("haul h.test/f --auth n", "negotiate"), ("haul help ver", "verify"),
            ("haul aria2", "aria2c"), ("haul de", "demo"), ("haul aria2c --max-conn", "--max-connection-per-server"),
            ("haul veri", "verify"),
            ("haul daemon start --order l", "lifo"),
        ])
    func fish(line: String, word: String) async throws {
        let script = #"$argv[1] completions fish | source; complete -C "$argv[2]""#
        let folder = try TemporaryFolder()
        try folder.put(Array(script.utf8), "s.fish")
        let end = try await BuiltProgram.run(
            ["fish", "--no-config", "s.fish", BuiltProgram.path, line], in: folder, program: "/usr/bin/env")
        let found = end.output.split(separator: "\n").map { $0.split(separator: "\t").first.map(String.init) ?? "" }
        #expect(found.contains(word), "\(end.output) \(end.error)")
    }

    @Test("the help says where to install each script")
    func places() {
        let help = HaulCommand.helpMessage(for: CompletionsCommand.self)
        for shell in ["bash", "zsh", "fish"] { #expect(help.contains("haul completions \(shell) > ~/")) }
    }

    @Test("zsh and fish complete files and values", arguments: ["zsh", "fish"])
    func others(shell: String) async throws {
        let end = try await BuiltProgram.run(["completions", shell], in: try TemporaryFolder())
        #expect(end.status == 0)
        let short =
            shell == "zsh" ? ["compdef _haul_any haul", "    _haul_any \"${@}\""] : ["functions -c __haul_tokens"]
        for word in ["rename", "negotiate", "aria2c", shell == "zsh" ? "_files" : "-rF"] + short {
            #expect(end.output.contains(word), "\(word)")
        }
    }
}
