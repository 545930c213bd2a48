import Foundation
import Haul
import HaulTesting
import Synchronization
import Testing

@Suite struct FreedesktopNotifierTests {
    private static let reported = DownloadNotification(
        title: "Download finished", body: "it's <b>$(id)</b>.iso", kind: .succeeded, download: DownloadID(rawValue: 1))
    /// Writes down what it was started with.
    private static let recorder =
        #"for a; do printf '%s\0' "$a"; done > "$HERE/argv"; printf %s "$DBUS_SESSION_BUS_ADDRESS" > "$HERE/bus""#

    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func callsGdbus() async throws {
        try await folder.script("gdbus", Self.recorder)
        try await folder.script("notify-send", "echo wrong > \"$HERE/wrong\"")
        await notifier().notify(Self.reported)
        #expect(recorded == Array(FreedesktopCall.gdbus(Self.reported).dropFirst()))
        #expect(folder.text("bus") == "unix:path=/nowhere")
        #expect(folder.bytes("wrong") == nil)
    }

    @Test func callsNotifySendWhereThereIsNoGdbus() async throws {
        try await folder.script("notify-send", Self.recorder)
        await notifier().notify(Self.reported)
        #expect(recorded == Array(FreedesktopCall.notifySend(Self.reported).dropFirst()))
    }

    @Test func findsTheBusInTheRuntimeFolder() async throws {
        try await folder.script("gdbus", Self.recorder)
        let environment = ["PATH": folder.path, "XDG_RUNTIME_DIR": folder.path]
        await FreedesktopNotifier(environment: environment).notify(Self.reported)
        #expect(folder.bytes("argv") == nil)
        try folder.put([], "bus")
        await FreedesktopNotifier(environment: environment).notify(Self.reported)
        #expect(folder.bytes("argv") != nil)
    }

    @Test func isSilentWithoutABusOrAProgram() async throws {
        await notifier().notify(Self.reported)
        try await folder.script("gdbus", Self.recorder)
        await FreedesktopNotifier(environment: ["PATH": folder.path]).notify(Self.reported)
        #expect(folder.names == ["gdbus"])
    }

    @Test func waitsNoLongerThanItsTimeout() async throws {
        try await folder.script("gdbus", "exec sleep 60")
        let clock = ContinuousClock()
        let begin = clock.now
        await notifier(timeout: .milliseconds(100)).notify(Self.reported)
        #expect(clock.now - begin < .seconds(30))
    }

    @Test func sendsOnlyAFewAtOnce() async throws {
        let up = try Fifo("up", in: folder)
        try await folder.script("gdbus", "echo up > \"$HERE/up\"; until test -e \"$HERE/go\"; do sleep 0.02; done")
        let notifier = notifier(limit: 1, timeout: .seconds(40))
        async let first: Void = notifier.notify(Self.reported)
        #expect(await up.first() == "up\n")
        // Turned away at once, although the first one waits for a file that is not there yet.
        await notifier.notify(Self.reported)
        try folder.put([], "go")
        await first
        await notifier.notify(Self.reported)
        #expect(await up.rest() == "up\n")
    }

    private static let finished = DownloadNotification(
        title: "Download finished", body: "a.iso", kind: .succeeded, download: DownloadID(rawValue: 7), path: "/d/a.iso"
    )

    @Test(arguments: [("open", NotificationAction.open), ("folder", .folder), ("default", .open)])
    func tellsWhatWasChosen(name: String, action: NotificationAction) async throws {
        try await folder.script("notify-send", Self.recorder + "; echo \(name)")
        try await folder.script("gdbus", "echo wrong > \"$HERE/wrong\"")
        let chosen = Chosen()
        await choosing(chosen).notify(Self.finished)
        #expect(chosen.all == [action])
        #expect(recorded?.contains("--action=folder=Show in folder") == true)
        #expect(folder.bytes("wrong") == nil)
    }

    @Test(arguments: ["exit 0", "echo retry", "echo; echo open", "head -c 5000 /dev/zero", "kill -9 $$"])
    func nothingIsDoneWhereNothingWasChosen(script: String) async throws {
        try await folder.script("notify-send", script)
        let chosen = Chosen()
        await choosing(chosen).notify(Self.finished)
        #expect(chosen.all.isEmpty)
    }

    @Test func showsItWithoutActionsWhereNotifySendKnowsNone() async throws {
        try await folder.script("notify-send", "echo Unknown option >&2; exit 1")
        try await folder.script("gdbus", Self.recorder)
        await choosing(Chosen()).notify(Self.finished)
        #expect(recorded == Array(FreedesktopCall.gdbus(Self.finished).dropFirst()))
    }

    @Test func showsWhatIsTooManyWithoutActions() async throws {
        let up = try Fifo("up", in: folder)
        try await folder.script("notify-send", "echo up > \"$HERE/up\"; exec sleep 60")
        try await folder.script("gdbus", Self.recorder)
        let chosen = Chosen()
        let notifier = choosing(chosen, limit: 1)
        let first = Task { await notifier.notify(Self.finished) }
        #expect(await up.first() == "up\n")
        await notifier.notify(Self.finished)
        #expect(recorded == Array(FreedesktopCall.gdbus(Self.finished).dropFirst()))
        // Whoever cancels does not wait until it is gone.
        first.cancel()
        await first.value
        #expect(chosen.all.isEmpty)
    }

    @Test func waitsForAChoiceNoLongerThanItShould() async throws {
        try await folder.script("notify-send", "exec sleep 60")
        try await folder.script("gdbus", "echo wrong > \"$HERE/wrong\"")
        await choosing(Chosen(), maximum: .milliseconds(100)).notify(Self.finished)
        #expect(folder.bytes("wrong") == nil)
    }

    private final class Chosen: Sendable {
        private let kept = Mutex<[NotificationAction]>([])
        var all: [NotificationAction] { kept.withLock { $0 } }
        func note(_ action: NotificationAction) { kept.withLock { $0.append(action) } }
    }

    private func choosing(_ chosen: Chosen, limit: Int = 8, maximum: Duration = .seconds(30)) -> FreedesktopNotifier {
        FreedesktopNotifier(
            environment: ["PATH": folder.path, "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"], timeout: .seconds(30),
            choosing: FreedesktopNotifier.Choosing(limit: limit, maximum: maximum) { action, _ in chosen.note(action) })
    }

    @Test(arguments: 0...3)
    func theGateCounts(limit: Int) {
        let gate = NotificationGate(limit: limit)
        #expect((0..<limit).allSatisfy { _ in gate.enter() })
        #expect(!gate.enter())
        guard limit > 0 else { return }
        gate.leave()
        #expect(gate.enter())
        #expect(!gate.enter())
    }

    private func notifier(limit: Int = 4, timeout: Duration = .seconds(30)) -> FreedesktopNotifier {
        FreedesktopNotifier(
            environment: ["PATH": folder.path, "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"], limit: limit,
            timeout: timeout)
    }

    private var recorded: [String]? {
        folder.text("argv").map {
            $0.split(separator: "\0", omittingEmptySubsequences: false).dropLast().map(String.init)
        }
    }
}
