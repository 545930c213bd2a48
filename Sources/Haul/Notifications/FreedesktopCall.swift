/// The program that shows a notification on a freedesktop bus, and its arguments: a pure function of what is there.
///
/// Source of names, types and hints: Desktop Notifications Specification, version 1.2 or later.
package struct FreedesktopCall: Hashable, Sendable {
    /// The absolute path of the program.
    package let program: String
    /// What it gets as `argv`.
    package let arguments: [String]

    /// Chooses the program, `gdbus` before `notify-send`; nil where neither or no bus of the session is there.
    ///
    /// - Parameters:
    ///   - environment: Where `PATH`, `DBUS_SESSION_BUS_ADDRESS` and `XDG_RUNTIME_DIR` are looked up.
    ///   - exists: Whether something stands at a path.
    ///   - isExecutable: Whether a program stands at a path.
    package init?(
        _ notification: DownloadNotification, environment: [String: String], exists: (String) -> Bool,
        isExecutable: (String) -> Bool
    ) {
        guard Self.hasBus(environment, exists) else { return nil }
        let searchPath = environment["PATH"]
        if let path = ProgramPath.find("gdbus", searchPath: searchPath, isExecutable: isExecutable) {
            program = path
            arguments = Self.gdbus(notification)
        } else if let path = ProgramPath.find("notify-send", searchPath: searchPath, isExecutable: isExecutable) {
            program = path
            arguments = Self.notifySend(notification)
        } else {
            return nil
        }
    }

    /// Chooses the program that shows a notification with its actions, waits until it is gone, and says which one was chosen.
    ///
    /// That is `notify-send` from version 0.8 on (notify-send(1), `--action`); an older one ends at once with a failure. It asks for the
    /// notification itself: many desktops tell only who did that of the choice. Nil where it or the bus is missing, or nothing can be chosen.
    package init?(
        choosing notification: DownloadNotification, environment: [String: String], exists: (String) -> Bool,
        isExecutable: (String) -> Bool
    ) {
        guard !notification.actions.isEmpty, Self.hasBus(environment, exists),
            let path = ProgramPath.find("notify-send", searchPath: environment["PATH"], isExecutable: isExecutable)
        else { return nil }
        program = path
        var arguments = Self.notifySend(notification)
        let options = notification.actions.map { "--action=\($0.rawValue)=\($0.label)" }
        // What a click on the notification itself means (Desktop Notifications Specification, "Actions"); a failure's only goes away.
        let click = notification.kind == .succeeded ? ["--action=default=\(NotificationAction.open.label)"] : []
        arguments.insert(contentsOf: click + options, at: 1)
        self.arguments = arguments
    }

    /// The action that `notify-send` has told on its standard output; nil where none was chosen.
    package static func choice(_ output: [UInt8], of notification: DownloadNotification) -> NotificationAction? {
        let line = String(decoding: output.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        let action = line == "default" ? notification.actions.first : NotificationAction(rawValue: line)
        return action.flatMap { notification.actions.contains($0) ? $0 : nil }
    }

    /// Whether the bus of the session can be found: by its address, or where systemd puts it.
    package static func hasBus(_ environment: [String: String], _ exists: (String) -> Bool) -> Bool {
        if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty { return true }
        guard let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") else { return false }
        return exists(folder + "/bus")
    }

    /// Calls `Notify` with the types `susssasa{sv}i` (gdbus(1)).
    package static func gdbus(_ notification: DownloadNotification) -> [String] {
        let hints = "{'category': <\(GVariantText.string(category(notification.kind)))>, 'urgency': <byte 1>}"
        return [
            "gdbus", "call", "--session", "--timeout", "5",
            "--dest", "org.freedesktop.Notifications", "--object-path", "/org/freedesktop/Notifications",
            "--method", "org.freedesktop.Notifications.Notify",
            GVariantText.string("haul"), "uint32 0", GVariantText.string(icon(notification.kind)),
            GVariantText.string(notification.title), GVariantText.string(markup(notification.body)),
            // A bare "-1" would be taken for an option.
            "@as []", hints, "int32 -1",
        ]
    }

    /// The same through libnotify (notify-send(1)).
    package static func notifySend(_ notification: DownloadNotification) -> [String] {
        [
            "notify-send", "--app-name=haul", "--urgency=normal", "--category=\(category(notification.kind))",
            "--icon=\(icon(notification.kind))", "--", notification.title,
            // It reads the body with g_strcompress, to which a backslash begins an escape.
            replacing(markup(notification.body), ["\\": "\\\\"]),
        ]
    }

    /// A body with what begins markup or an entity escaped (Desktop Notifications Specification, "Markup").
    package static func markup(_ text: String) -> String {
        replacing(text, ["&": "&amp;", "<": "&lt;", ">": "&gt;"])
    }

    /// By scalars: a `<` that carries a combining mark is another `Character`, but the same byte.
    private static func replacing(_ text: String, _ escapes: [Unicode.Scalar: String]) -> String {
        text.unicodeScalars.map { escapes[$0] ?? String($0) }.joined()
    }

    private static func category(_ kind: DownloadNotification.Kind) -> String {
        switch kind {
        case .succeeded: "transfer.complete"
        case .failed: "transfer.error"
        }
    }

    private static func icon(_ kind: DownloadNotification.Kind) -> String {
        switch kind {
        case .succeeded: "dialog-information"
        case .failed: "dialog-error"
        }
    }
}
