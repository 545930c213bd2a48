import HaulProcesses

/// The program that shows a notification through a freedesktop bus, and its arguments; pure.
///
/// Source of names, types and hints: Desktop Notifications Specification, version 1.2 or later.
package struct FreedesktopCall: Hashable, Sendable {
    /// The absolute path of the program.
    package let program: String
    /// The arguments, beginning with the program's own name (`argv`).
    package let arguments: [String]

    /// Chooses the program, `gdbus` before `notify-send`; nil if there is neither, or no session bus.
    ///
    /// - Parameters:
    ///   - environment: Provides `PATH`, `DBUS_SESSION_BUS_ADDRESS` and `XDG_RUNTIME_DIR`.
    ///   - exists: Returns true if there is anything at a path.
    ///   - isExecutable: Returns true if there is a program at a path.
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

    /// Chooses the program that shows a notification with its actions, waits until it is closed, and prints the chosen
    /// action.
    ///
    /// This is `notify-send` since version 0.8 (notify-send(1), `--action`); an older one fails at once. It sends the
    /// notification itself, because many desktops report the choice only to the sender. Nil if it or the bus is
    /// missing, or the notification has no actions.
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
        // The action for a click on the notification itself (Desktop Notifications Specification, "Actions"); a failure
        // has none.
        let click = notification.kind == .succeeded ? ["--action=default=\(NotificationAction.open.label)"] : []
        arguments.insert(contentsOf: click + options, at: 1)
        self.arguments = arguments
    }

    /// Returns the action that `notify-send` printed to its standard output; nil if none was chosen.
    package static func choice(_ output: [UInt8], of notification: DownloadNotification) -> NotificationAction? {
        let line = String(decoding: output.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        let action = line == "default" ? notification.actions.first : NotificationAction(rawValue: line)
        return action.flatMap { notification.actions.contains($0) ? $0 : nil }
    }

    /// Returns true if the session bus can be found: by its address, or at the path that systemd uses.
    package static func hasBus(_ environment: [String: String], _ exists: (String) -> Bool) -> Bool {
        if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty { return true }
        guard let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") else { return false }
        return exists(folder + "/bus")
    }

    /// Returns the arguments for calling `Notify` with the types `susssasa{sv}i` (gdbus(1)).
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

    /// Returns the arguments for `notify-send` (notify-send(1)).
    package static func notifySend(_ notification: DownloadNotification) -> [String] {
        [
            "notify-send", "--app-name=haul", "--urgency=normal", "--category=\(category(notification.kind))",
            "--icon=\(icon(notification.kind))", "--", notification.title,
            // It passes the body to g_strcompress, for which a backslash begins an escape.
            replacing(markup(notification.body), ["\\": "\\\\"]),
        ]
    }

    /// Returns a body with the characters of markup and entities escaped (Desktop Notifications Specification,
    /// "Markup").
    package static func markup(_ text: String) -> String {
        replacing(text, ["&": "&amp;", "<": "&lt;", ">": "&gt;"])
    }

    /// Replaces scalars, since a `<` with a combining mark is a different `Character`, but the same byte.
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

/// Values in GLib's text format, in which `gdbus call` reads its arguments (GVariant Text Format).
enum GVariantText {
    /// Returns a string literal: in single quotes, with backslash, quote and control characters escaped, and without
    /// NUL, which it can't contain.
    static func string(_ text: String) -> String {
        "'" + text.unicodeScalars.map(escaped).joined() + "'"
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\0": ""
        case "\\", "'": "\\\(scalar)"
        case _ where scalar.properties.generalCategory == .control:
            "\\u" + String(repeating: "0", count: scalar.value < 0x10 ? 3 : 2) + String(scalar.value, radix: 16)
        default: String(scalar)
        }
    }
}
