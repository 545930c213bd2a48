/// The property list with which launchd starts the daemon when its user logs in, on macOS (launchd.plist(5)).
///
/// launchd passes sockets in a way of its own, which the daemon does not support: it creates its socket itself.
package struct LaunchAgent: Hashable, Sendable {
    /// The name under which launchd knows the daemon.
    package static let label = "haul.daemon"
    /// The daemon's program.
    package let program: String
    /// The file for messages.
    package let log: String

    /// Makes the list for a program at this path.
    package init(program: String, log: String) { (self.program, self.log) = (program, log) }

    /// The name of the file in `~/Library/LaunchAgents`.
    package static let fileName = label + ".plist"

    /// The property list.
    package var text: String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
            <key>Label</key>
            <string>\(Self.label)</string>
            <key>ProgramArguments</key>
            <array>
                <string>\(Self.escaped(program))</string>
                <string>daemon</string>
                <string>run</string>
            </array>
            <key>RunAtLoad</key>
            <true/>
            <key>KeepAlive</key>
            <dict>
                <key>SuccessfulExit</key>
                <false/>
            </dict>
            <key>ExitTimeOut</key>
            <integer>10</integer>
            <key>StandardErrorPath</key>
            <string>\(Self.escaped(log))</string>
        </dict>
        </plist>

        """
    }

    /// Escapes the characters that have a meaning in XML.
    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
