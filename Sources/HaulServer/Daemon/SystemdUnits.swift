/// The units with which systemd starts the daemon for a user when its socket is first used.
package struct SystemdUnits: Hashable, Sendable {
    /// The daemon's program.
    package let program: String

    /// Makes the units for a program at this path.
    package init(program: String) { self.program = program }

    /// The files by name.
    package var files: [(name: String, text: String)] { [("haul.service", service), ("haul.socket", socket)] }

    private var service: String {
        """
        [Unit]
        Description=Haul, downloads in the background
        Documentation=man:haul(1)
        Requires=haul.socket
        After=haul.socket

        [Service]
        Type=notify
        ExecStart=\(Self.quoted(program)) daemon run
        ExecReload=/bin/kill -HUP $MAINPID
        WatchdogSec=30
        TimeoutStopSec=10
        Restart=on-failure
        NoNewPrivileges=yes
        LockPersonality=yes
        RestrictRealtime=yes

        [Install]
        WantedBy=default.target
        Also=haul.socket

        """
    }

    private var socket: String {
        """
        [Unit]
        Description=Haul's socket

        [Socket]
        ListenStream=%t/haul/daemon.sock
        SocketMode=0600
        DirectoryMode=0700

        [Install]
        WantedBy=sockets.target

        """
    }

    /// Quotes a path for a command line in a unit (systemd.service(5), "Command lines"; systemd.unit(5), "Specifiers").
    private static func quoted(_ path: String) -> String {
        let escaped = path.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("%", with: "%%")
            .replacing("$", with: "$$")
        return "\"\(escaped)\""
    }
}
