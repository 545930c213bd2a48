import Foundation
import HaulClient
import HaulServer
import HaulTesting
import HaulWire
import Testing

@Suite("The restart of a daemon, and its status", .serialized, .enabled(if: DaemonProcess.isBuilt))
struct DaemonRestartTests {
    private func place(_ home: DaemonHome) -> [String] { ["--state-folder", home.state, "--socket", home.socket] }

    /// Starts a daemon on any port, with 7 downloads at a time set over the API, and returns its process and port.
    private func start(_ home: DaemonHome) async throws -> (pid: Int32, port: Int) {
        let arguments = ["--root", home.root, "--port", "0", "--jobs", "3"] + place(home)
        let end = try await home.run(["daemon", "start"] + arguments)
        #expect(end.status == 0, "\(end.error)")
        let client = home.client
        var change = SettingsPatch()
        change.jobs = .some(.some(7))
        _ = try await client.change(change)
        let info = try await client.info()
        await client.close()
        return (Int32(info.pid), try #require(info.port))
    }

    private func facts(_ home: DaemonHome) async throws -> (pid: Int32, port: Int?, jobs: Int?) {
        let client = home.client
        let (info, settings) = (try await client.info(), try await client.settings())
        await client.close()
        return (Int32(info.pid), info.port, settings.jobs)
    }

    @Test("options that can't be used leave the running daemon and its changed settings alone")
    func refused() async throws {
        let (home, other) = (try DaemonHome(), try DaemonHome())
        let (pid, _) = try await start(home)
        let (_, port) = try await start(other)
        for (options, words) in [
            (["--port", "\(port)"], "127.0.0.1:\(port)"),
            (["--webhook", "http://x", "--webhook-secret-file", "/no/such"], "--webhook-secret-file: "),
            (["--ca-certificate", "/no/such"], "--ca-certificate: can't read certificates"),
            (["--root", "/no/such"], "--root: the root /no/such"),
        ] {
            let end = try await home.run(["daemon", "restart", "--jobs", "2"] + options + place(home))
            #expect(end.status != 0 && end.error.contains(words), "\(options): \(end.output)\(end.error)")
            #expect(!end.output.contains("exited"))
            let now = try await facts(home)
            #expect(now.pid == pid && now.jobs == 7, "\(options)")
        }
        let end = try await home.run(["daemon", "restart", "--jobs", "2"] + place(home))
        #expect(end.status == 0, "\(end.error)")
        let now = try await facts(home)
        #expect(now.pid != pid && now.jobs == 2)
        #expect(SettingsKeeper(path: home.state + "/settings.json").patch == SettingsPatch())
        for home in [home, other] { #expect(try await home.run(["daemon", "stop"] + place(home)).status == 0) }
    }

    @Test("if the new one does not start, the daemon runs again with the options and settings that it had")
    func again() async throws {
        let home = try DaemonHome()
        let (pid, port) = try await start(home)
        let fixed = try await home.run(["daemon", "restart", "--port", "\(port)"] + place(home))
        #expect(fixed.status == 0, "\(fixed.error)")
        let before = try await facts(home)
        #expect(before.pid != pid && before.jobs == 7)
        // The port is not tried, since the running daemon has it. No machine has the address 192.0.2.1 (RFC 5737).
        let options = ["--address", "192.0.2.1", "--allow-remote", "--jobs", "2"]
        let end = try await home.run(
            ["daemon", "restart"] + options + place(home), ["HAUL_ORDER": "lifo"])
        #expect(end.status == 18 && end.error.contains("192.0.2.1"), "\(end.output)\(end.error)")
        #expect(end.error.contains("running again with its earlier options"), "\(end.error)")
        let now = try await facts(home)
        #expect(now.pid != before.pid && now.port == port && now.jobs == 7)
        let record = try #require(try DaemonRecord(path: home.state + "/daemon.json"))
        #expect(record.values[.address] == nil && record.values[.order] == nil && record.values[.jobs] == ["3"])
        #expect(try await home.run(["daemon", "stop"] + place(home)).status == 0)
    }

    @Test("status reports a missing root")
    func problems() async throws {
        let home = try DaemonHome()
        let daemon = try DaemonProcess(home)
        let well = try await home.run(["daemon", "status", "--json"] + home.arguments)
        #expect(well.status == 0 && well.output.contains(#""obstacles":[]"#), "\(well.output)\(well.error)")
        try FileManager.default.removeItem(atPath: home.root)
        let text = try await home.run(["daemon", "status"] + home.arguments)
        #expect(text.output.contains("problem:   the root \(home.root) does not exist"), "\(text.output)\(text.error)")
        let json = try await home.run(["daemon", "status", "--json"] + home.arguments)
        #expect(json.status == 0 && json.output.contains(#""code":"fileFailed""#), "\(json.output)")
        #expect(await daemon.stop() == 0)
    }
}
