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
        _haul haul "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}" 2>/dev/null
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
            (["add", "--on-conflict", "k"], ["keep"]),
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

    @Test("zsh and fish complete files and values", arguments: ["zsh", "fish"])
    func others(shell: String) async throws {
        let end = try await BuiltProgram.run(["completions", shell], in: try TemporaryFolder())
        #expect(end.status == 0)
        for word in ["rename", "negotiate", shell == "zsh" ? "_files" : "-rF"] {
            #expect(end.output.contains(word), "\(word)")
        }
    }
}
