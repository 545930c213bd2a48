import HaulAria2
import HaulCLI
package import HaulCore

/// The program's texts about itself.
package enum Aria2Texts {
    /// The version text.
    ///
    /// Its first line is what programs parse to find out the version of aria2.
    package static var version: String {
        """
        aria2 version \(Aria2RPC.aria2Version)
        haul \(Version.current), compatible with aria2's command line and RPC; contains no code of aria2.

        ** Configuration **
        Enabled Features: \(Aria2RPC.features.joined(separator: ", "))
        Hash Algorithms: sha-1, sha-256, sha-512, md5

        """
    }

    /// Returns the name of a download in log lines: the start of its GID, and its URL without secrets.
    package static func name(of snapshot: DownloadSnapshot) -> String {
        "#\(GID(of: snapshot).short) from \(URLRedaction.shown(snapshot.spec.url))"
    }

    /// The usage text with all options.
    package static var help: String {
        var lines = [
            "Usage: aria2c [OPTIONS] [URI | METALINK_FILE]...",
            "Several URIs are sources of one file; with -Z, each is a separate file.",
            "", "Options:",
        ]
        lines += Aria2Option.table.filter { $0.scope.contains(.heeded) }.map(line)
        return lines.joined(separator: "\n") + "\n"
    }

    private static func line(_ option: Aria2Option) -> String {
        let letter = option.letter.map { "-\($0), " } ?? "    "
        return " \(letter)--\(option.name)" + (option.standard.map { "  (default: \($0))" } ?? "")
    }
}
