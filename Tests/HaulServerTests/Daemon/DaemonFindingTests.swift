import Foundation
import HaulClient
import HaulCore
import HaulServer
import HaulTesting
import HaulWire
import Synchronization
import Testing

@Suite("The daemon that the commands mean", .serialized, .enabled(if: DaemonProcess.isBuilt))
struct DaemonFindingTests {
    @Test("stop ends the daemon behind HAUL_SOCKET, as status asks it, and not the one in the usual place")
    func namedSocket() async throws {
        let (standard, other) = (try DaemonHome(), try DaemonHome())
        let (first, second) = (try DaemonProcess(standard), try DaemonProcess(other))
        // The state folder is the first one's; the socket, which all commands ask, the second one's.
        let mixed = ["HAUL_STATE_FOLDER": standard.state, "HAUL_SOCKET": other.socket]
        let status = try await standard.run(["daemon", "status"], mixed)
        #expect(status.output.contains("process \(second.pid)"), "\(status.output)\(status.error)")
        let stopped = try await standard.run(["daemon", "stop"], mixed)
        #expect(stopped.status == 0, "\(stopped.error)")
        #expect(await second.end() == 0)
        // Nobody is at that socket now, and the other daemon is not taken for it.
        let again = try await standard.run(["daemon", "stop"], mixed)
        #expect(again.status == 22 && again.error.contains(standard.socket), "\(again.output)\(again.error)")
        let client = standard.client
        #expect(try await client.info().pid == Int(first.pid))
        await client.close()
        #expect(await first.stop() == 0)
    }

    @Test func aDaemonThatDoesNotRespondIsReported() async throws {
        let folder = try TemporaryFolder()
        let silent = try SilentListener(path: folder.path("s"))
        let told = Mutex<[Duration]>([])
        let client = DaemonClient(
            .unix(path: folder.path("s")), patience: .milliseconds(500), silence: .milliseconds(10)
        ) { silence in told.withLock { $0.append(silence) } }
        let error = await #expect(throws: DownloadError.self) { try await client.info() }
        await client.close()
        #expect(error?.code == .timedOut)
        #expect(error?.message.contains(folder.path("s")) == true)
        #expect(told.withLock { $0 } == [.milliseconds(10)])
        withExtendedLifetime(silent) {}
    }

    @Test func aStreamOfEventsThatIsSilentEnds() async throws {
        let home = try DaemonHome()
        let daemon = try DaemonProcess(home)
        // It writes nothing for 15 s.
        let client = DaemonClient(.unix(path: home.socket), patience: .milliseconds(300))
        let error = await #expect(throws: DownloadError.self) {
            for try await _ in client.events(after: 0) {}
        }
        await client.close()
        #expect(error?.code == .timedOut)
        #expect(await daemon.stop() == 0)
    }

    @Test("start with the socket of a daemon that another state folder has: it is running, and options are an error")
    func serviceSocket() async throws {
        let (home, service) = (try DaemonHome(), try DaemonHome())
        let daemon = try DaemonProcess(service)
        let named = ["HAUL_SOCKET": service.socket]
        let end = try await home.run(["daemon", "start"], named)
        #expect(end.status == 0 && end.output == "a daemon is already listening at \(service.socket)\n", "\(end.error)")
        let other = try await home.run(["daemon", "start", "--jobs", "3"], named)
        #expect(other.status == 22 && other.error.contains("haul daemon start (jobs)"), "\(other.output)\(other.error)")
        let client = service.client
        #expect(try await client.info().pid == Int(daemon.pid))
        await client.close()
        #expect(await daemon.stop() == 0)
    }

    @Test("start says that a damaged list was put aside; the log has the version and the end")
    func damagedList() async throws {
        let home = try DaemonHome()
        try FileManager.default.createDirectory(
            atPath: home.state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try Data(repeating: 7, count: 10_000).write(to: URL(filePath: home.state + "/downloads.sqlite"))
        let end = try await home.run(["daemon", "start"] + home.arguments)
        #expect(end.status == 0 && end.error.hasPrefix("haul: warning: "), "\(end.error)")
        #expect(end.error.contains(home.state + "/downloads.sqlite"), "\(end.error)")
        let stopped = try await home.run(["daemon", "stop"] + home.arguments)
        #expect(stopped.status == 0)
        let lines = try String(contentsOfFile: home.state + "/daemon.log", encoding: .utf8).split(separator: "\n")
        #expect(lines.contains { $0.contains(" listening ") && $0.contains("version=") }, "\(lines)")
        #expect(lines.last?.hasSuffix(" notice stopped") == true, "\(lines)")
    }

    @Test("run and start report all errors of the configuration, each with its line", arguments: ["run", "start"])
    func allErrors(command: String) async throws {
        let home = try DaemonHome("port = \"x\"\njobs = \"y\"\n")
        let end = try await home.run(["daemon", command] + home.arguments)
        let lines = end.error.split(separator: "\n")
        #expect(end.status == 2 && lines.count == 2, "\(end.error)")
        for (line, start) in zip(lines, ["line 2: port: expected", "line 3: jobs: expected"]) {
            #expect(line.hasPrefix("haul: \(home.configuration), \(start)"), "\(line)")
        }
    }

    @Test("start beside a running daemon: options that it does not have are an error, the same ones are not")
    func otherOptions() async throws {
        let home = try DaemonHome()
        let daemon = try DaemonProcess(home, ["--limit-rate", "1M"])
        for options in [[], ["--limit-rate", "1M"], ["--root", home.root]] {
            let end = try await home.run(["daemon", "start"] + options + home.arguments)
            #expect(end.status == 0 && end.output.contains("already"), "\(options): \(end.error)")
            #expect(!end.output.contains("reset"))
        }
        let reset = try await home.run(["daemon", "start", "--reset", "--limit-rate", "1M"] + home.arguments)
        #expect(reset.status == 0 && reset.output.contains("--reset was ignored"), "\(reset.output)\(reset.error)")
        for (name, options) in [
            ("roots", ["--root", home.folder.path]), ("port", ["--port", "1"]), ("limit-rate", ["--limit-rate", "2M"]),
        ] {
            let end = try await home.run(["daemon", "start"] + options + home.arguments)
            #expect(end.status == 22 && end.error.contains("(\(name))"), "\(options): \(end.output)\(end.error)")
        }
        #expect(await daemon.stop() == 0)
    }

    @Test(
        "Options apply to later starts, after a kill and after a stop, until others are given or --reset discards them")
    func remembered() async throws {
        let home = try DaemonHome()
        let place = ["--state-folder", home.state, "--socket", home.socket]
        func roots() async throws -> [String] {
            let client = home.client
            let roots = try await client.info().roots
            await client.close()
            return roots
        }
        func stop() async throws { #expect(try await home.run(["daemon", "stop"] + place).status == 0) }
        let pid = try await start(home, ["--root", home.root] + place)
        kill(pid, SIGKILL)
        // Its lock ends with the process, a moment later.
        while DaemonLock.holder(path: home.state + "/daemon.lock") != nil { await Task.yield() }
        _ = try await start(home, place)
        #expect(try await roots() == [home.root])
        let reset = try await home.run(["daemon", "start", "--reset"] + place)
        #expect(reset.status == 22 && reset.error.contains("(roots)"), "\(reset.error)")
        try await stop()
        // A second stop does not forget them either.
        try await stop()
        let again = try await home.run(["daemon", "start", "--order", "lifo"] + place)
        #expect(again.status == 0 && again.output.contains("--root=\(home.root)"), "\(again.output)\(again.error)")
        #expect(try await roots() == [home.root])
        try await stop()
        try FileManager.default.removeItem(atPath: home.root)
        let gone = try await home.run(["daemon", "start"] + place)
        #expect(gone.status == 2 && gone.error.contains("haul daemon start --reset"), "\(gone.error)")
        _ = try await start(home, ["--reset"] + place)
        #expect(try await roots() == [home.folder.path + "/Downloads"])
        try await stop()
        _ = try await start(home, place)
        #expect(try await roots() == [home.folder.path + "/Downloads"])
        try await stop()
    }

    @Test("A start fails if a daemon has the state folder and does not listen")
    func silent() async throws {
        let home = try DaemonHome()
        let place = ["--state-folder", home.state, "--socket", home.socket]
        try FileManager.default.createDirectory(
            atPath: home.state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let lock = try DaemonLock(path: home.state + "/daemon.lock")
        let end = try await home.run(["daemon", "start", "--root", home.root] + place)
        #expect(end.status == 23 && end.error.contains("does not listen at \(home.socket)"), "\(end.error)")
        withExtendedLifetime(lock) {}
    }

    #if os(Linux)
        @Test("A daemon whose process number is another program's here, as in a container, is not stopped")
        func otherProcess() async throws {
            let home = try DaemonHome()
            let place = ["--state-folder", home.state, "--socket", home.socket]
            let pid = try await start(home, ["--root", home.root] + place)
            let other = Process()
            (other.executableURL, other.arguments) = (URL(filePath: "/bin/sleep"), ["60"])
            try other.run()
            defer { other.terminate() }
            let lock = URL(filePath: home.state + "/daemon.lock")
            try Data("\(other.processIdentifier)\n".utf8).write(to: lock, options: [])
            let end = try await home.run(["daemon", "stop"] + place)
            #expect(end.status == 22 && end.error.contains("another container"), "\(end.error)")
            #expect(other.isRunning)
            try Data("\(pid)\n".utf8).write(to: lock, options: [])
            #expect(try await home.run(["daemon", "stop"] + place).status == 0)
        }
    #endif

    @Test("an option given to start replaces a change of this setting over the API; options of earlier starts do not")
    func changedSettings() async throws {
        let home = try DaemonHome()
        let place = ["--state-folder", home.state, "--socket", home.socket]
        func settings(_ change: SettingsPatch? = nil) async throws -> SettingsMessage {
            let client = home.client
            let settings: SettingsMessage
            if let change { settings = try await client.change(change) } else { settings = try await client.settings() }
            await client.close()
            return settings
        }
        func stop() async throws { #expect(try await home.run(["daemon", "stop"] + place).status == 0) }
        _ = try await start(home, ["--root", home.root, "--jobs", "3", "--limit-rate", "1M"] + place)
        var change = SettingsPatch()
        (change.jobs, change.rateLimit) = (.some(.some(7)), .some(.some(2_000_000)))
        _ = try await settings(change)
        try await stop()
        _ = try await start(home, place)
        #expect(try await settings().jobs == 7)
        try await stop()
        let end = try await home.run(["daemon", "start", "--jobs", "4"] + place)
        #expect(end.status == 0 && end.output.contains("while the daemon was running (jobs)"), "\(end.output)")
        let now = try await settings()
        #expect(now.jobs == 4 && now.rateLimit == 2_000_000)
        try await stop()
    }

    /// Starts a daemon in the background, and returns its process.
    private func start(_ home: DaemonHome, _ arguments: [String]) async throws -> Int32 {
        let end = try await home.run(["daemon", "start"] + arguments)
        #expect(end.status == 0, "\(end.error)")
        return try #require(DaemonLock.holder(path: home.state + "/daemon.lock"))
    }

    @Test("A port in use: the start names it and ends with 18")
    func port() async throws {
        let (first, second) = (try DaemonHome(), try DaemonHome())
        let daemon = try DaemonProcess(first, ["--port", "0"])
        let client = first.client
        let port = try #require(try await client.info().port)
        await client.close()
        let end = try await second.run(["daemon", "start", "--port", "\(port)"] + second.arguments)
        #expect(end.status == 18 && end.error.contains("127.0.0.1:\(port)"), "\(end.error)")
        let aria2 = try await second.run(
            ["aria2c", "--no-conf", "--enable-rpc", "--rpc-listen-port=\(port)", "--stop=5"])
        let said = aria2.output + aria2.error
        #expect(said.contains("\(port)") && said.contains("already in use"), "\(said)")
        #expect(!said.contains("errno") && !said.contains("descriptor"), "\(said)")
        #expect(await daemon.stop() == 0)
    }

    @Test("What holds a password is not kept, and a start without it is refused")
    func secrets() throws {
        let record = DaemonRecord(
            [.roots: ["/a"], .proxy: ["http://me:secret@p.test"]], configuration: nil, socket: "/s")
        #expect(record.values == [.roots: ["/a"]] && record.withheld == ["proxy"])
        #expect(record.differences(from: [.proxy: ["x"], .roots: ["/a"]], file: [:]).isEmpty)
        #expect(record.differences(from: [.roots: ["/b"], .port: ["1"]], file: [.port: ["1"]]) == [.roots])
        let folder = try TemporaryFolder()
        try record.save(path: folder.path + "/r")
        #expect(try DaemonRecord(path: folder.path + "/r") == record)
        #expect(try DaemonRecord(path: folder.path + "/none") == nil)
        // Not the same as a missing one.
        let error = #expect(throws: DownloadError.self) { try DaemonRecord(path: folder.path) }
        #expect(error?.code == .fileFailed)
    }
}
