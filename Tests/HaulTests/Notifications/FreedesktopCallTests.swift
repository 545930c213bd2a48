import Foundation
import Haul
import Testing

@Suite struct FreedesktopCallTests {
    private static let reported = DownloadNotification(
        title: #"Title <b>'"\"#, body: #"<i>&amp; 'x' "y" \n"#, kind: .failed, download: DownloadID(rawValue: 1))

    @Test func callsNotifyThroughGdbus() {
        #expect(
            FreedesktopCall.gdbus(Self.reported) == [
                "gdbus", "call", "--session", "--timeout", "5", "--dest", "org.freedesktop.Notifications",
                "--object-path", "/org/freedesktop/Notifications", "--method", "org.freedesktop.Notifications.Notify",
                "'haul'", "uint32 0", "'dialog-error'", #"'Title <b>\'"\\'"#,
                #"'&lt;i&gt;&amp;amp; \'x\' "y" \\n'"#, "@as []",
                "{'category': <'transfer.error'>, 'urgency': <byte 1>}", "int32 -1",
            ])
    }

    @Test func callsNotifySend() {
        #expect(
            FreedesktopCall.notifySend(Self.reported) == [
                "notify-send", "--app-name=haul", "--urgency=normal", "--category=transfer.error",
                "--icon=dialog-error", "--", #"Title <b>'"\"#, #"&lt;i&gt;&amp;amp; 'x' "y" \\n"#,
            ])
    }

    @Test func asksForAChoiceThroughNotifySend() throws {
        func call(_ reported: DownloadNotification) -> FreedesktopCall? {
            FreedesktopCall(
                choosing: reported, environment: ["PATH": "/p", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/x"],
                exists: { _ in false }, isExecutable: { $0 == "/p/notify-send" })
        }
        let failed = try #require(call(Self.reported))
        #expect(failed.program == "/p/notify-send")
        #expect(
            failed.arguments == ["notify-send", "--action=retry=Retry"]
                + FreedesktopCall.notifySend(Self.reported).dropFirst())
        let id = DownloadID(rawValue: 1)
        let good = DownloadNotification(title: "t", body: "b", kind: .succeeded, download: id, path: "/a")
        #expect(
            call(good)?.arguments.prefix(4) == [
                "notify-send", "--action=default=Open", "--action=open=Open", "--action=folder=Show in folder",
            ])
        #expect(call(DownloadNotification(title: "t", body: "b", kind: .succeeded, download: id)) == nil)
    }

    @Test func asksForNoChoiceWithoutABusOrTheProgram() {
        func call(_ environment: [String: String], _ isThere: Bool) -> FreedesktopCall? {
            FreedesktopCall(
                choosing: Self.reported, environment: environment, exists: { _ in false },
                isExecutable: { _ in isThere })
        }
        #expect(call(["PATH": "/p"], true) == nil)
        #expect(call(["PATH": "/p", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/x"], false) == nil)
    }

    /// What comes from the program is one of the names that it was given, or nothing.
    @Test(
        arguments: DownloadNotification.Kind.allCases,
        ["open", "folder", "retry", "default", "", "0", "open ", "\u{0}"])
    func readsTheChoice(kind: DownloadNotification.Kind, line: String) {
        let reported = DownloadNotification(
            title: "t", body: "b", kind: kind, download: DownloadID(rawValue: 1), path: "/a")
        let expected: NotificationAction? =
            switch (kind, line) {
            case (.succeeded, "open"), (.succeeded, "default"): .open
            case (.succeeded, "folder"): .folder
            case (.failed, "retry"), (.failed, "default"): .retry
            case _: nil
            }
        for end in ["", "\n", "\nmore"] {
            #expect(FreedesktopCall.choice(Array((line + end).utf8), of: reported) == expected)
        }
        #expect(FreedesktopCall.choice([0xFF, 0xFE], of: reported) == nil)
    }

    @Test func namesASuccessAsOne() {
        let good = DownloadNotification(title: "t", body: "b", kind: .succeeded, download: DownloadID(rawValue: 1))
        #expect(FreedesktopCall.gdbus(good).contains("'dialog-information'"))
        #expect(FreedesktopCall.gdbus(good).contains { $0.contains("<'transfer.complete'>") })
        #expect(FreedesktopCall.notifySend(good).contains("--category=transfer.complete"))
    }

    /// A letter that carries a mark is one `Character`, which hides what markup begins with.
    @Test(arguments: [("<\u{338}b>", "&lt;\u{338}b&gt;"), ("&\u{301}", "&amp;\u{301}"), ("a&b", "a&amp;b"), ("", "")])
    func escapesMarkup(text: String, expected: String) {
        #expect(Array(FreedesktopCall.markup(text).unicodeScalars) == Array(expected.unicodeScalars))
    }

    /// With and without each of: address, empty address, the bus's socket, gdbus, notify-send.
    @Test func choosesWhatIsThere() {
        for bits in 0..<32 {
            func has(_ bit: Int) -> Bool { bits & (1 << bit) != 0 }
            var environment = ["PATH": "/p", "XDG_RUNTIME_DIR": "/run/u"]
            if has(0) { environment["DBUS_SESSION_BUS_ADDRESS"] = has(1) ? "" : "unix:path=/x" }
            let programs = (has(3) ? ["/p/gdbus"] : []) + (has(4) ? ["/p/notify-send"] : [])
            let call = FreedesktopCall(
                Self.reported, environment: environment, exists: { $0 == "/run/u/bus" && has(2) },
                isExecutable: programs.contains)
            let hasBus = (has(0) && !has(1)) || has(2)
            #expect(call?.program == (hasBus ? programs.first : nil), "\(bits)")
            #expect(call?.arguments.first == call?.program.split(separator: "/").last.map(String.init))
        }
    }

    @Test(arguments: [[:], ["XDG_RUNTIME_DIR": ""], ["XDG_RUNTIME_DIR": "run"], ["DBUS_SESSION_BUS_ADDRESS": ""]])
    func thereIsNoBusWhereNothingSaysSo(environment: [String: String]) {
        #expect(!FreedesktopCall.hasBus(environment) { _ in true })
    }
}
