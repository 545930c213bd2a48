import Foundation
import Haul
import HaulClient
import HaulCore
import HaulServer
import HaulTestTraits
import HaulTesting
import HaulWire
import Testing

@Suite(
    "The daemon as a process, and others: pages, private addresses, webhooks", .usesSockets,
    .enabled(if: DaemonProcess.isBuilt))
struct DaemonTellingTests {
    private func until(_ client: DaemonClient, _ count: Int, _ state: DownloadState.Kind) async throws {
        for try await event in client.events(interval: .milliseconds(100), progress: false, summary: true) {
            if case .summary(let summary) = event, summary.counts[state.rawValue] == count { return }
        }
        Issue.record("never were \(count) \(state)")
    }

    @Test("aria2's clients on pages of other sites may call where the setting says so, with the token only")
    func otherOrigins() async throws {
        let home = try DaemonHome("port = 0\nrpc-allow-origin-all = true\n")
        let daemon = try DaemonProcess(home)
        let client = home.client
        let port = try #require(try await client.info().port)
        let token = try String(contentsOfFile: home.state + "/token", encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        func ask(_ method: String, _ path: String, _ more: String = "", _ body: String = "") async throws -> String {
            try await RawClient.send(
                "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nOrigin: https://ariang.example\r\n"
                    + "Sec-Fetch-Site: cross-site\r\n\(more)Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n"
                    + body, port: port
            ).lowercased()
        }
        func call(_ secret: String) async throws -> String {
            try await ask(
                "POST", "/jsonrpc", "",
                #"{"jsonrpc":"2.0","id":"1","method":"aria2.getVersion","params":["token:\#(secret)"]}"#)
        }
        let asked = try await ask(
            "OPTIONS", "/jsonrpc",
            "Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: content-type\r\n")
        #expect(asked.hasPrefix("http/1.1 200") && asked.contains("access-control-allow-headers: content-type"))
        #expect(
            asked.contains("access-control-allow-methods: post") && asked.contains("access-control-allow-origin: *"))
        let response = try await call(token)
        #expect(
            response.contains("enabledfeatures") && response.contains("access-control-allow-origin: *"), "\(response)")
        #expect(try await call("wrong").contains("unauthorized"))
        // The rest of the daemon stays closed to them.
        for (method, path) in [("GET", "/api/v1/downloads"), ("OPTIONS", "/api/v1/downloads")] {
            let refused = try await ask(method, path, "Authorization: Bearer \(token)\r\n")
            #expect(!refused.contains("access-control-allow"), "\(refused)")
            #expect(refused.hasPrefix("http/1.1 4"))
        }
        await client.close()
        #expect(await daemon.stop() == 0)
    }

    @Test("A redirect to a private address is followed for the user alone, and for others where the setting says so")
    func privateRedirect() async throws {
        // The server is the proxy, too: a name that leads to no private address can be had without a network.
        try await FaultServer.run([:]) { server in
            let inner = "http://127.0.0.1:\(server.port)/inner"
            server.set("http://public.test/r", .redirect(to: inner))
            server.set(inner, .text("inner"))
            for isAllowed in [false, true] {
                let home = try DaemonHome(
                    "port = 0\nproxy = \"http://127.0.0.1:\(server.port)\"\nprivate-addresses = \(isAllowed)\n")
                let daemon = try DaemonProcess(home)
                let client = home.client
                let port = try #require(try await client.info().port)
                let token = try String(contentsOfFile: home.state + "/token", encoding: .utf8)
                    .trimmingCharacters(in: .whitespacesAndNewlines)
                let remote = DaemonClient(.tcp(host: "127.0.0.1", port: port, token: .text(token)))
                let asked = try await remote.add(DownloadRequest(url: "http://public.test/r")).id
                try await until(client, 1, isAllowed ? .finished : .failed)
                let shown = try await client.show(asked)
                #expect(
                    isAllowed
                        || shown.error?.code == .invalidRequest && shown.error?.message.contains("private") == true)
                #expect(server.requests(inner).count == (isAllowed ? 2 : 0))
                if !isAllowed {
                    await #expect(throws: DownloadError.self) { try await remote.add(DownloadRequest(url: inner)) }
                    _ = try await client.add(DownloadRequest(url: inner))
                    try await until(client, 1, .finished)
                }
                await remote.close()
                await client.close()
                #expect(await daemon.stop() == 0)
            }
        }
    }

    @Test("A webhook hears of ends, signed by the secret in a file; an attempt that fails is made again")
    func webhook() async throws {
        let hook = Resource.text("ok").script { $0.number == 1 ? .status(500) : .normal }
        try await FaultServer.run(["/hook": hook, "/a": .file(seed: 5, size: 5000)]) { server in
            let home = try DaemonHome()
            try Data((WebhookTrial.secret + "\n").utf8).write(to: URL(filePath: home.folder.path + "/secret"))
            try home.configure(
                "webhook = \"\(server.url("/hook"))?key=unsaid\"\nwebhook-secret-file = \"\(home.folder.path)/secret\"\n"
            )
            let daemon = try DaemonProcess(home)
            let client = home.client
            let id = try await client.add(DownloadRequest(url: server.url("/a"))).id
            let log = try await server.until { $0.requests("/hook").filter { $0.status == 200 }.count == 1 }
            let messages = try log.requests("/hook").map { try WebhookTrial.message($0) }
            #expect(messages.count == 2 && messages[0] == messages[1])
            #expect(messages[0].on == .completed && messages[0].download?.id == id)
            await client.close()
            #expect(await daemon.stop() == 0)
            #expect(!home.logged.contains("unsaid") && !home.logged.contains(WebhookTrial.secret))
        }
    }

    @Test("A webhook that hangs holds up neither downloads nor the end, and is one line")
    func hangingWebhook() async throws {
        let hook = Resource.text("ok").script(.silence())
        try await FaultServer.run(["/hook": hook, "/a": .file(seed: 5, size: 5000), "/b": .text("b")]) { server in
            let home = try DaemonHome("webhook = \"\(server.url("/hook"))\"\nwebhook-on = [\"completed\"]\n")
            let daemon = try DaemonProcess(home)
            let client = home.client
            for path in ["/a", "/b"] { _ = try await client.add(DownloadRequest(url: server.url(path))) }
            try await until(client, 2, .finished)
            try await server.until { !$0.requests("/hook").isEmpty }
            await client.close()
            #expect(await daemon.stop() == 0)
            #expect(!home.logged.contains("exiting before"))
            #expect(
                home.logged.split(separator: "\n").filter { $0.contains("not delivered") }.count == 2,
                "\(home.logged)")
        }
    }

    @Test("What is chosen at a notification is done: Retry tries again, Open opens")
    func choices() async throws {
        let file = Resource.text("ok").script { $0.number == 1 ? .status(404) : .normal }
        try await FaultServer.run(["/a": file]) { server in
            let home = try DaemonHome("notifications = true\n")
            let opened = home.folder.path + "/opened"
            // Chooses the last action at a failure, the first one at a success.
            for (name, text) in [
                ("notify-send", "case \"$*\" in *retry=*) echo retry ;; *) echo default ;; esac"),
                ("xdg-open", "printf %s \"$1\" > '\(opened).new'; mv '\(opened).new' '\(opened)'"),
            ] {
                let path = home.folder.path + "/" + name
                try Data("#!/bin/sh\n\(text)\n".utf8).write(to: URL(filePath: path))
                try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
            }
            let daemon = try DaemonProcess(
                home,
                environment: [
                    "PATH": home.folder.path + ":/usr/bin:/bin", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere",
                ])
            let client = home.client
            _ = try await client.add(DownloadRequest(url: server.url("/a")))
            try await until(client, 1, .finished)
            while !FileManager.default.fileExists(atPath: opened) { _ = try await client.info() }
            #expect(try String(contentsOfFile: opened, encoding: .utf8) == home.root + "/a")
            await client.close()
            #expect(await daemon.stop() == 0)
            #expect(server.requests("/a").map(\.status) == [404, 200])
        }
    }
}
