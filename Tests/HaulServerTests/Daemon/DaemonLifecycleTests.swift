import Foundation
import HaulClient
import HaulCore
import HaulTestTraits
import HaulTesting
import HaulWire
import Synchronization
import Testing

@Suite("The daemon as a process", .usesSockets, .enabled(if: DaemonProcess.isBuilt))
struct DaemonLifecycleTests {
    private func until(_ client: DaemonClient, _ count: Int, _ state: DownloadState.Kind) async throws {
        for try await event in client.events(interval: .milliseconds(100), progress: false, summary: true) {
            if case .summary(let summary) = event, summary.counts[state.rawValue] == count { return }
        }
        Issue.record("never were \(count) \(state)")
    }

    @Test("It listens for its user alone, a second one refuses, and SIGTERM saves and leaves")
    func life() async throws {
        let home = try DaemonHome()
        let daemon = try DaemonProcess(home)
        let modes = try [home.socket, home.folder.path + "/run", home.state].map {
            try FileManager.default.attributesOfItem(atPath: $0)[.posixPermissions] as? Int
        }
        #expect(modes == [0o600, 0o700, 0o700])
        let second = try await home.run(["daemon", "run"] + home.arguments)
        #expect(second.status == 23 && second.error.contains("process \(daemon.pid)"), "\(second.error)")
        let status = try await home.run(["daemon", "status"] + home.arguments)
        #expect(status.status == 0 && status.output.contains("idle"), "\(status.error)")
        #expect(await daemon.stop() == 0)
        #expect(!FileManager.default.fileExists(atPath: home.socket))
        #expect(try await home.run(["daemon", "status"] + home.arguments).status == 5)
    }

    @Test("A daemon with another state folder does not take the socket of one that is at work")
    func socketTheft() async throws {
        let home = try DaemonHome()
        let other = try DaemonHome()
        let daemon = try DaemonProcess(home)
        let arguments = ["--config", other.configuration, "--state-folder", other.state, "--socket", home.socket]
        for command in ["run", "start"] {
            let second = try await other.run(["daemon", command] + arguments)
            #expect(second.status == 23 && second.error.contains(home.socket), "\(second.error)")
        }
        let client = home.client
        #expect(try await client.info().pid == Int(daemon.pid))
        await client.close()
        // What a killed daemon leaves is replaced.
        daemon.signal(SIGKILL)
        #expect(await daemon.end() == -1)
        #expect(FileManager.default.fileExists(atPath: home.socket))
        let next = try DaemonProcess(home)
        #expect(await next.stop() == 0)
        #expect(!FileManager.default.fileExists(atPath: home.socket))
    }

    @Test("What was added under other roots is not written there, after a restart and after SIGHUP")
    func changedRoots() async throws {
        try await FaultServer.run(["/a": .file(seed: 75, size: 1000)]) { server in
            let home = try DaemonHome()
            let second = try home.makeFolder("second")
            let daemon = try DaemonProcess(home)
            let client = home.client
            var request = DownloadRequest(url: server.url("/a"))
            (request.name, request.startsPaused) = ("a", true)
            let id = try await client.add(request).id
            await client.close()
            #expect(await daemon.stop() == 0)
            try home.configure("roots = [\"\(second)\"]\n")
            let next = try DaemonProcess(home)
            let again = home.client
            _ = try await again.resume(id)
            try await until(again, 1, .failed)
            let error = try #require(try await again.show(id).error)
            #expect(error.code == .invalidRequest && error.message.contains(home.root), "\(error)")
            #expect(server.requests("/a").isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: home.root) == [])
            // With the root back in the file it can be tried again, and without it once more not.
            try home.configure("roots = [\"\(second)\", \"\(home.root)\"]\n")
            next.signal(SIGHUP)
            while try await again.info().roots.count != 2 {}
            _ = try await again.retry(id)
            try await until(again, 1, .finished)
            try home.configure("roots = [\"\(second)\"]\n")
            next.signal(SIGHUP)
            while try await again.info().roots.count != 1 {}
            _ = try await again.retry(id, fromStart: true)
            try await until(again, 1, .failed)
            // Its finished file is outside the roots by now, so that nothing claims that it was removed.
            let refusal = await #expect(throws: DownloadError.self) { try await again.remove(id, files: .all) }
            #expect(refusal?.message.hasPrefix("\(home.root) is outside the daemon's roots (\(second))") == true)
            try await again.remove(id, files: .partial)
            #expect(try FileManager.default.contentsOfDirectory(atPath: home.root) == ["a"])
            await again.close()
            #expect(await next.stop() == 0)
        }
    }

    /// Returns the first parameter of aria2's calls.
    private func secret(_ home: DaemonHome) throws -> String {
        let token = try String(contentsOfFile: home.state + "/token", encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        return #""token:\#(token)""#
    }

    /// Calls a method of aria2, and returns the response.
    private func call(
        _ method: String, _ parameters: String, port: Int, _ header: String = ""
    ) async throws -> String {
        let body = #"{"jsonrpc":"2.0","id":"1","method":"\#(method)","params":[\#(parameters)]}"#
        return try await RawClient.send(
            "POST /jsonrpc HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(header)Content-Length: \(body.utf8.count)\r\n"
                + "Connection: close\r\n\r\n\(body)", port: port)
    }

    @Test("Roots and private-addresses of a configuration that is read again hold for aria2's clients, too")
    func aria2AfterReload() async throws {
        let home = try DaemonHome("port = 0\n")
        let second = try home.makeFolder("second")
        let daemon = try DaemonProcess(home)
        let client = home.client
        let port = try #require(try await client.info().port)
        let secret = try secret(home)
        func add(_ options: String = "") async throws -> String {
            let parameters = #"\#(secret),["http://127.0.0.1:1/x"],{"pause":"true"\#(options)}"#
            return try await call("aria2.addUri", parameters, port: port)
        }
        var response = try await add()
        #expect(response.contains("not a public address"), "\(response)")
        try home.configure("port = 0\nroots = [\"\(second)\"]\nprivate-addresses = true\n")
        daemon.signal(SIGHUP)
        while try await client.info().roots != [second] {}
        response = try await add()
        #expect(response.contains("\"result\""), "\(response)")
        response = try await add(#","dir":"\#(home.root)""#)
        #expect(response.contains("is outside the daemon's roots (\(second))"), "\(response)")
        response = try await call("aria2.getGlobalOption", secret, port: port)
        #expect(response.contains(second) && !response.contains("\(home.root)\""), "\(response)")
        try home.configure("port = 0\n")
        daemon.signal(SIGHUP)
        while try await client.info().roots != [home.root] {}
        response = try await add()
        #expect(response.contains("not a public address"), "\(response)")
        await client.close()
        #expect(await daemon.stop() == 0)
    }

    @Test("aria2's clients are served at /jsonrpc, with the token as their secret and the daemon's rules")
    func aria2() async throws {
        let home = try DaemonHome("port = 0\n")
        let daemon = try DaemonProcess(home)
        let client = home.client
        let port = try #require(try await client.info().port)
        let secret = try secret(home)
        func call(_ method: String, _ parameters: String, _ header: String = "") async throws -> String {
            try await self.call(method, parameters, port: port, header)
        }
        #expect(try await call("aria2.getVersion", secret).contains("enabledFeatures"))
        #expect(try await call("aria2.getVersion", #""token:wrong""#).contains("Unauthorized"))
        let foreign = try await call("aria2.getVersion", secret, "Origin: http://evil.example\r\n")
        #expect(foreign.hasPrefix("HTTP/1.1 403"), "\(foreign)")
        for (uri, option, message) in [
            ("ftp://h/x", "", "the daemon supports only http and https: use haul get"),
            ("http://127.0.0.1:\(port)/", "", "the daemon does not download from its own port"),
            (
                "http://h.test/x", #","dir":"/etc""#,
                "/etc is outside the daemon's roots (\(home.root)): choose a folder"
            ),
        ] {
            let refused = try await call("aria2.addUri", #"\#(secret),["\#(uri)"],{"pause":"true"\#(option)}"#)
            #expect(refused.contains("\"error\"") && refused.contains(message), "\(refused)")
        }
        let added = try await call("aria2.addUri", #"\#(secret),["http://h.test/x"],{"pause":"true"}"#)
        #expect(added.hasPrefix("HTTP/1.1 200") && added.contains("\"result\""), "\(added)")
        await client.close()
        #expect(await daemon.stop() == 0)
    }

    @Test("start returns when it answers, stop when it is gone; both twice do no harm")
    func startAndStop() async throws {
        let home = try DaemonHome()
        let proxy = ["--proxy", "http://me:secret@127.0.0.1:1"]
        let started = try await home.run(["daemon", "start"] + proxy + home.arguments)
        #expect(started.status == 0, "\(started.error)")
        let client = home.client
        let pid = try await client.info().pid
        #if os(Linux)
            func text(_ name: String) -> String {
                String(decoding: FileManager.default.contents(atPath: "/proc/\(pid)/\(name)") ?? Data(), as: UTF8.self)
            }
            #expect(text("cmdline").contains("run") && !text("cmdline").contains("secret"))
            #expect(text("environ").contains("HAUL_PROXY=http://me:secret@127.0.0.1:1"))
            let folder = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/cwd")
            #expect(folder == URL(filePath: home.state).resolvingSymlinksInPath().path)
        #endif
        #expect(started.output.contains("process \(pid)"))
        #expect(
            try await home.run(["daemon", "start"] + home.arguments).output.contains("already running (process \(pid))")
        )
        #expect(try await client.info().pid == pid)
        await client.close()
        #expect(try await home.run(["daemon", "stop"] + home.arguments).status == 0)
        #expect(try await home.run(["daemon", "stop"] + home.arguments).output.contains("no daemon"))
    }

    @Test(
        "A configuration that can't be right is one line, and nothing is begun",
        arguments: ["port = x", "roots = [\"/no/such\"]"])
    func badConfiguration(text: String) async throws {
        let home = try DaemonHome(text)
        for command in ["run", "start"] {
            let end = try await home.run(["daemon", command] + home.arguments)
            #expect(end.status == 2 && end.error.split(separator: "\n").count == 1, "\(end.error)")
        }
    }

    @Test("SIGHUP has the file read again; one that can't be right changes nothing")
    func reload() async throws {
        let home = try DaemonHome("jobs = 4\n")
        let daemon = try DaemonProcess(home)
        let client = home.client
        #expect(try await client.settings().jobs == 4)
        try home.configure("jobs = 5\n")
        daemon.signal(SIGHUP)
        while try await client.settings().jobs != 5 {}
        try home.configure("jobs = -1\n")
        daemon.signal(SIGHUP)
        while !home.logged.contains("invalid configuration, nothing changed") { _ = try await client.info() }
        #expect(try await client.settings().jobs == 5)
        await client.close()
        #expect(await daemon.stop() == 0)
    }

    @Test("SIGHUP after the log was renamed: the next lines go to a new file of the name, for the user alone")
    func rotated() async throws {
        let home = try DaemonHome()
        let started = try await home.run(["daemon", "start"] + home.arguments)
        #expect(started.status == 0, "\(started.error)")
        let client = home.client
        let pid = try await client.info().pid
        let log = home.state + "/daemon.log"
        try FileManager.default.moveItem(atPath: log, toPath: log + ".1")
        let old = try Data(contentsOf: URL(filePath: log + ".1"))
        kill(Int32(pid), SIGHUP)
        func text() -> String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }
        while !text().contains("configuration reloaded") { _ = try await client.info() }
        await client.close()
        #expect(try Data(contentsOf: URL(filePath: log + ".1")) == old)
        let attributes = try FileManager.default.attributesOfItem(atPath: log)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try await home.run(["daemon", "stop"] + home.arguments).status == 0)
    }

    @Test("A file that was spoilt while the daemon is at work keeps nobody from asking and stopping it")
    func spoilt() async throws {
        let home = try DaemonHome("port = 0\n")
        let daemon = try DaemonProcess(home)
        try home.configure("port = seven\n")
        let status = try await home.run(["daemon", "status"] + home.arguments)
        #expect(status.status == 0 && status.output.contains("http://127.0.0.1:"), "\(status.output)\(status.error)")
        #expect(try await home.run(["daemon", "stop"] + home.arguments).status == 0)
        #expect(await daemon.end() == 0)
        // Nobody is there any more: now it is the file that has to be told.
        let gone = try await home.run(["daemon", "status"] + home.arguments)
        #expect(gone.status == 2 && gone.error.contains("daemon.toml"), "\(gone.error)")
    }

    @Test("SIGTERM while downloads run: all is saved, and the next daemon goes on from there")
    func saves() async throws {
        // Until the first daemon is gone nothing more comes, however long that takes.
        let isGone = Mutex(false)
        let file = Resource.file(seed: 74, size: 600_000).script { facts in
            if isGone.withLock({ $0 }) { return .normal }
            return facts.number == 1 ? .stall(after: 400_000) : .silence()
        }
        try await FaultServer.run(["/a": file]) { server in
            let home = try DaemonHome()
            let daemon = try DaemonProcess(home)
            let client = home.client
            var request = DownloadRequest(url: server.url("/a"))
            (request.connections, request.name) = (.fixed(1), "a")
            let id = try await client.add(request).id
            while try await client.show(id).progress.fileBytes < 400_000 {}
            await client.close()
            #expect(await daemon.stop() == 0)
            #expect(!home.logged.contains("exiting before"))
            isGone.withLock { $0 = true }
            let next = try DaemonProcess(home)
            let again = home.client
            try await until(again, 1, .finished)
            #expect(try await again.show(id).finish?.sessionBytes == 200_000)
            await again.close()
            #expect(await next.stop() == 0)
        }
    }

    @Test("A partial file outside the roots stays, and so does its download, unless it is removed without its files")
    func partialOutsideTheRoots() async throws {
        let file = Resource.file(seed: 76, size: 600_000).script { _ in .stall(after: 400_000) }
        try await FaultServer.run(["/a": file]) { server in
            let home = try DaemonHome()
            let second = try home.makeFolder("second")
            let daemon = try DaemonProcess(home)
            let client = home.client
            var request = DownloadRequest(url: server.url("/a"))
            (request.connections, request.name) = (.fixed(1), "a")
            let id = try await client.add(request).id
            while try await client.show(id).progress.fileBytes < 400_000 {}
            try home.configure("roots = [\"\(second)\"]\n")
            daemon.signal(SIGHUP)
            while try await client.info().roots != [second] {}
            let refusal = await #expect(throws: DownloadError.self) { try await client.remove(id, files: .partial) }
            #expect(refusal?.message.hasPrefix("\(home.root) is outside the daemon's roots (\(second))") == true)
            // The command recognises the error to name its option.
            #expect(refusal?.isOfNotRemovable == true)
            await #expect(throws: DownloadError.self) { try await client.cancel(id, keepPartial: false) }
            // Nor are all of them together.
            for action in [ActionRequest.Action.remove, .cancel] {
                var every = ActionRequest(action)
                (every.all, every.keepPartial) = (true, action == .cancel ? false : nil)
                await #expect(throws: DownloadError.self) { _ = try await client.act(every) }
            }
            #expect(try await client.show(id).state == .running)
            try await client.remove(id, files: .none)
            #expect(try FileManager.default.contentsOfDirectory(atPath: home.root).contains("a.part"))
            await client.close()
            #expect(await daemon.stop() == 0)
        }
    }

    @Test("A command in a hook is for the daemon that runs the hook")
    func hookSocket() async throws {
        try await FaultServer.run(["/a": .file(seed: 77, size: 1000)]) { server in
            let home = try DaemonHome()
            let told = home.folder.path + "/told"
            try home.configure(
                """
                [[hooks]]
                on = ["completed"]
                command = ["/bin/sh", "-c", "echo $HAUL_SOCKET > '\(told).new' && mv '\(told).new' '\(told)'"]

                """)
            let daemon = try DaemonProcess(home, environment: ["HAUL_SOCKET": "/another/socket"])
            let client = home.client
            _ = try await client.add(DownloadRequest(url: server.url("/a")))
            while !FileManager.default.fileExists(atPath: told) { await Task.yield() }
            #expect(try String(contentsOfFile: told, encoding: .utf8) == home.socket + "\n")
            await client.close()
            #expect(await daemon.stop() == 0)
        }
    }

    @Test("kill -9 while 20 downloads run: the next daemon ends all of them right, in order, and fetches little twice")
    func killed() async throws {
        let size: Int64 = 1_500_000
        let files = Dictionary(
            uniqueKeysWithValues: (0..<20).map { ("/f\($0)", Resource.file(seed: UInt64(100 + $0), size: size)) })
        try await FaultServer.run(files, throttle: 12_000_000) { server in
            let home = try DaemonHome("jobs = 20\n")
            let daemon = try DaemonProcess(home)
            let client = home.client
            var requests: [DownloadRequest] = []
            for index in 0..<20 {
                var request = DownloadRequest(url: server.url("/f\(index)"))
                (request.connections, request.name) = (.fixed(1), "f\(index)")
                (request.priority, request.group) = (index % 3, "g")
                requests.append(request)
            }
            let ids = try await client.add(requests).compactMap(\.id)
            while try await client.list(limit: 20).downloads.contains(where: { $0.progress.fileBytes < 100_000 }) {}
            await client.close()
            daemon.signal(SIGKILL)
            #expect(await daemon.end() == -1)
            server.throttle(nil)
            let next = try DaemonProcess(home)
            let again = home.client
            try await until(again, 20, .finished)
            let list = try await again.list(limit: 100).downloads
            #expect(list.map(\.id) == ids)
            #expect(list.map(\.request.priority) == (0..<20).map { $0 % 3 })
            #expect(list.allSatisfy { $0.request.group == "g" && $0.finish?.totalBytes == size })
            for index in 0..<20 {
                let file = try Data(contentsOf: URL(filePath: home.root + "/f\(index)"))
                #expect(Array(file) == files["/f\(index)"]?.allBytes, "f\(index)")
            }
            #expect(server.totalBodyBytes <= 20 * (size + 256 * 1024))
            var finished: [DownloadID: Int] = [:]
            // From the beginning: on a busy machine some are complete before the kill.
            let last = try await again.summary().lastEvent
            for try await event in again.events(after: 0, until: last, progress: false) {
                guard case .download(let event) = event, EventName(event.kind) == .finished else { continue }
                finished[event.download, default: 0] += 1
            }
            #expect(finished.values.allSatisfy { $0 == 1 } && Set(finished.keys) == Set(ids))
            await again.close()
            #expect(await next.stop() == 0)
        }
    }
}
