import Foundation
import Haul
import HaulTesting
import Testing

@Suite struct FreedesktopNotifierTests {
    private static let told = DownloadNotification(
        title: "Download finished", body: "it's <b>$(id)</b>.iso", kind: .succeeded, download: DownloadID(rawValue: 1))
    /// Writes down what it was started with.
    private static let recorder =
        #"for a; do printf '%s\0' "$a"; done > "$HERE/argv"; printf %s "$DBUS_SESSION_BUS_ADDRESS" > "$HERE/bus""#

    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func callsGdbus() async throws {
        try await folder.script("gdbus", Self.recorder)
        try await folder.script("notify-send", "echo wrong > \"$HERE/wrong\"")
        await notifier().notify(Self.told)
        #expect(recorded == Array(FreedesktopCall.gdbus(Self.told).dropFirst()))
        #expect(folder.text("bus") == "unix:path=/nowhere")
        #expect(folder.bytes("wrong") == nil)
    }

    @Test func callsNotifySendWhereThereIsNoGdbus() async throws {
        try await folder.script("notify-send", Self.recorder)
        await notifier().notify(Self.told)
        #expect(recorded == Array(FreedesktopCall.notifySend(Self.told).dropFirst()))
    }

    @Test func findsTheBusInTheRuntimeFolder() async throws {
        try await folder.script("gdbus", Self.recorder)
        let environment = ["PATH": folder.path, "XDG_RUNTIME_DIR": folder.path]
        await FreedesktopNotifier(environment: environment).notify(Self.told)
        #expect(folder.bytes("argv") == nil)
        try folder.put([], "bus")
        await FreedesktopNotifier(environment: environment).notify(Self.told)
        #expect(folder.bytes("argv") != nil)
    }

    @Test func isSilentWithoutABusOrAProgram() async throws {
        await notifier().notify(Self.told)
        try await folder.script("gdbus", Self.recorder)
        await FreedesktopNotifier(environment: ["PATH": folder.path]).notify(Self.told)
        #expect(folder.names == ["gdbus"])
    }

    @Test func waitsNoLongerThanItsTimeout() async throws {
        try await folder.script("gdbus", "exec sleep 60")
        let clock = ContinuousClock()
        let begin = clock.now
        await notifier(timeout: .milliseconds(100)).notify(Self.told)
        #expect(clock.now - begin < .seconds(30))
    }

    @Test func sendsOnlyAFewAtOnce() async throws {
        let up = try Fifo("up", in: folder)
        try await folder.script("gdbus", "echo up > \"$HERE/up\"; until test -e \"$HERE/go\"; do sleep 0.02; done")
        let notifier = notifier(limit: 1, timeout: .seconds(40))
        async let first: Void = notifier.notify(Self.told)
        #expect(await up.first() == "up\n")
        // Turned away at once, although the first one waits for a file that is not there yet.
        await notifier.notify(Self.told)
        try folder.put([], "go")
        await first
        await notifier.notify(Self.told)
        #expect(await up.rest() == "up\n")
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
