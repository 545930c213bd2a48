package import HaulCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The manual page, generated from the descriptions of the commands, in roff with the macros of man(7).
package enum ManualPage {
    /// Returns the page.
    ///
    /// - Parameters:
    ///   - dump: The argument parser's JSON dump of the root command.
    ///   - version: Haul's version.
    ///   - words: The names that lead to the command that the page describes; empty for all commands.
    /// - Throws: `DownloadError` with code `internal` if the dump is not valid, `invalidRequest` for an unknown
    ///   command.
    package static func text(
        dump: String, version: String, of words: [String] = []
    ) throws(DownloadError) -> String {
        let root: Tool
        do {
            root = try JSONDecoder().decode(Tool.self, from: Data(dump.utf8))
        } catch {
            throw DownloadError(.internal, "can't describe the commands", cause: "\(error)")
        }
        let all = root.command
        guard words.isEmpty else { return try text(of: words, in: all, version: version) }
        var lines = [
            ".TH HAUL 1 \"\" \"haul \(escaped(version))\" \"User Commands\"", ".SH NAME",
            "haul \\- \(escaped(plain(all.abstract)))", ".SH SYNOPSIS", ".B haul", ".I command", "[options]",
        ]
        // With those that the help does not list.
        let commands = (all.subcommands ?? []).filter { $0.commandName != "help" }
        lines.append(".SH COMMANDS")
        for command in commands { lines += entry("haul \(command.commandName)", plain(command.abstract)) }
        for command in commands { lines += section(command, "haul \(command.commandName)") }
        lines += files
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns the page of one command.
    private static func text(of words: [String], in all: Command, version: String) throws(DownloadError) -> String {
        var (command, name) = (all, "haul")
        for word in words {
            guard let next = command.subcommands?.first(where: { $0.commandName == word && word != "help" }) else {
                throw DownloadError(
                    .invalidRequest,
                    "unknown command \"\(URLRedaction.quoted(word, width: 40))\": \(name) --help lists them")
            }
            (command, name) = (next, "\(name) \(word)")
        }
        let title = escaped(name.replacing(" ", with: "-"))
        let summary = escaped(plain(command.abstract))
        let lines = [
            ".TH \(title.uppercased()) 1 \"\" \"haul \(escaped(version))\" \"User Commands\"", ".SH NAME",
            "\(title) \\- \(summary)", ".SH SYNOPSIS", ".B \(escaped(name))",
            (command.subcommands ?? []).isEmpty ? "[options]" : "command [options]", ".SH DESCRIPTION",
        ]
        let body = section(command, name).dropFirst()
        return (lines + body + files + [".SH SEE ALSO", ".BR haul (1)"]).joined(separator: "\n") + "\n"
    }

    private static func section(_ command: Command, _ name: String) -> [String] {
        var lines = [".SH \"\(escaped(name.uppercased()))\"", escaped(sentence(command.abstract))]
        for paragraph in (command.discussion ?? "").split(separator: "\n\n") {
            // Line breaks are kept, because discussions contain tables.
            lines += [".PP", ".nf"] + paragraph.split(separator: "\n").map { guarded(escaped(String($0))) } + [".fi"]
        }
        for argument in command.arguments ?? [] where argument.shouldDisplay != false {
            guard argument.names?.contains(where: { $0.name == "help" || $0.name == "version" }) != true else {
                continue
            }
            lines += entry(spelling(argument), plain(argument.abstract))
        }
        for part in command.subcommands ?? [] where part.commandName != "help" {
            lines += section(part, "\(name) \(part.commandName)")
        }
        return lines
    }

    /// Returns the names of an option and its value, such as `-c, --connections n`.
    private static func spelling(_ argument: Argument) -> String {
        let value = argument.valueName ?? "value"
        let names = (argument.names ?? []).map { ($0.kind == "long" ? "--" : "-") + $0.name }
        guard !names.isEmpty else { return "<\(value)>" + (argument.isRepeating == true ? " ..." : "") }
        return names.joined(separator: ", ") + (argument.kind == "flag" ? "" : " <\(value)>")
    }

    private static func entry(_ name: String, _ text: String) -> [String] {
        [".TP", ".B \(escaped(name))", guarded(escaped(text))]
    }

    private static let files = [
        ".SH ENVIRONMENT", ".TP", ".B HAUL_NAME",
        "The option \\fB\\-\\-name\\fR of \\fBhaul get\\fR and \\fBhaul add\\fR, such as HAUL_RETRIES=10; "
            + "overrides the configuration file.",
        ".TP", ".B HAUL_CONFIG", "The configuration file; empty for none.", ".SH FILES", ".TP",
        ".I ~/.config/haul/config.toml",
        "Options of \\fBhaul get\\fR and \\fBhaul add\\fR: NAME = VALUE, also for single hosts under [host.\"example.org\"].",
        ".TP", ".I ~/.config/haul/daemon.toml", "The settings of the daemon.", ".TP",
        ".I ~/.local/state/haul",
        "The list, log and token of the daemon, and the records of \\fBhaul why\\fR.", ".TP",
        ".I $XDG_RUNTIME_DIR/haul/daemon.sock", "The socket of the daemon.",
    ]

    private static func plain(_ text: String?) -> String {
        (text ?? "").split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    private static func sentence(_ text: String?) -> String { plain(text) }

    /// Escapes backslashes, which begin roff requests, and hyphens, which could not be copied as minus signs otherwise.
    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
    }

    /// Escapes a line that would otherwise be a roff request.
    private static func guarded(_ line: String) -> String {
        line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
    }
}

extension ManualPage {
    /// The argument parser's description of a tool (version 0 of its dump).
    private struct Tool: Decodable {
        let command: Command
    }

    private struct Command: Decodable {
        let commandName: String
        let abstract: String?
        let discussion: String?
        let subcommands: [Command]?
        let arguments: [Argument]?
    }

    private struct Argument: Decodable {
        let kind: String
        let shouldDisplay: Bool?
        let isRepeating: Bool?
        let names: [Name]?
        let valueName: String?
        let abstract: String?
    }

    private struct Name: Decodable {
        let kind: String
        let name: String
    }
}
