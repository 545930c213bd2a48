import Foundation
import Haul
import HaulAria2
import HaulCore
import HaulTestTraits
import HaulTesting
import Synchronization
import Testing

@Suite("Changing over aria2's interface", .usesSockets)
struct Aria2ChangeTests {
    @Test(
        "options of a download: told as they were given, never a secret; a limit holds at once; others have it go on anew"
    )
    func options() async throws {
        try await RPCTrial.run(["/s": RPCTrial.stalls, "/a": RPCTrial.file]) { harness async throws in
            let given =
                #"{"split":"3","file-allocation":"none","http-passwd":"hush","header":["X-Token: hush","Accept: a"],"user-agent":"me"}"#
            let gid = try await harness.add("/s", given)
            try await harness.until(gid, bytes: 100_000)
            let reported = try await harness.call("aria2.getOption", #"["\#(gid)"]"#)
            #expect(reported["split"] == .string("3") && reported["file-allocation"] == .string("none"))
            #expect(reported["user-agent"] == .string("me") && reported["header"] == .string("Accept: a"))
            #expect(reported["max-tries"] == .string("5") && reported["dir"] == .string(harness.folder.path))
            #expect(!reported.line.contains("hush"))
            #expect(
                try await harness.call("aria2.changeOption", #"["\#(gid)",{"max-download-limit":"1M"}]"#)
                    == .string("OK"))
            #expect(
                try await harness.call("aria2.getOption", #"["\#(gid)"]"#)["max-download-limit"] == .string("1048576"))
            harness.server.set("/s", RPCTrial.file)
            let change = #"["\#(gid)",{"split":"1","max-tries":"9","header":["X-Token: other"],"pause":"true"}]"#
            #expect(try await harness.call("aria2.changeOption", change) == .string("OK"))
            await harness.idle()
            #expect(try await harness.status(gid) == "complete")
            let last = try #require(harness.server.requests("/s").last)
            #expect(last.facts.header("X-Token") == "other")
            #expect(try await harness.refusal("aria2.changeOption", change) == "Cannot change option for GID#\(gid)")
        }
    }

    @Test("a changed user name keeps the password, and changed headers those of http-no-cache")
    func credentials() async throws {
        try await RPCTrial.run(["/a": RPCTrial.file]) { harness async throws in
            let gid = try await harness.add(
                "/a", #"{"pause":"true","http-user":"u","http-passwd":"pw","http-no-cache":"true"}"#)
            let change = #"["\#(gid)",{"http-user":"v","header":["X-Token: other"]}]"#
            #expect(try await harness.call("aria2.changeOption", change) == .string("OK"))
            _ = try await harness.call("aria2.unpause", #"["\#(gid)"]"#)
            await harness.idle()
            let asked = try #require(harness.server.requests("/a").last?.facts)
            #expect(asked.header("Authorization") == "Basic djpwdw==" && asked.header("X-Token") == "other")
            #expect(asked.header("Cache-Control") == "no-cache" && asked.header("Pragma") == "no-cache")
        }
    }

    @Test("empty paths count as not given; an empty session path ends saving")
    func emptyPaths() async throws {
        let setup = RPCSetup.interface { $0.saveSession = { _ throws(Aria2Failure) in } }
        try await RPCTrial.run(["/a": RPCTrial.file], setup) { harness async throws in
            let sub = harness.folder.path("sub")
            try await harness.call("aria2.changeGlobalOption", #"[{"dir":"\#(sub)"}]"#)
            let gid = try await harness.add("/a", #"{"out":"","dir":"","select-file":"","pause":""}"#)
            #expect(try await harness.status(gid) == "paused")
            try await harness.call("aria2.changeOption", #"["\#(gid)",{"out":"","dir":""}]"#)
            try await harness.call("aria2.unpause", #"["\#(gid)"]"#)
            await harness.idle()
            #expect(harness.folder.bytes("sub/a") == RPCTrial.file.allBytes)
            let session = harness.folder.path("session")
            try await harness.call("aria2.changeGlobalOption", #"[{"save-session":"\#(session)"}]"#)
            try await harness.call("aria2.saveSession")
            try await harness.call("aria2.changeGlobalOption", #"[{"save-session":""}]"#)
            #expect(try await harness.refusal("aria2.saveSession") == "Filename is not given.")
        }
    }

    @Test("a running POST is not sent again for a change")
    func post() async throws {
        try await RPCTrial.run(["/s": RPCTrial.stalls]) { harness async throws in
            var spec = DownloadSpec(
                url: harness.server.url("/s"), destination: .file(path: harness.folder.path + "/p"))
            spec.method = "POST"
            _ = try await harness.manager.add(spec)
            guard case .array(let active) = try await harness.call("aria2.tellActive", "[]"),
                case .string(let gid)? = active.first?["gid"]
            else { return #expect(Bool(false)) }
            _ = try await harness.server.until { !$0.requests.isEmpty }
            for (method, change) in [
                ("aria2.changeOption", #"{"user-agent":"me"}"#), ("aria2.changeUri", #"1,[],["http://127.0.0.1:9/x"]"#),
            ] {
                #expect(
                    try await harness.refusal(method, #"["\#(gid)",\#(change)]"#).contains("Cannot change option"))
            }
            #expect(harness.server.requests("/s").count == 1)
        }
    }

    @Test("a destination can be changed before anything was fetched, and not later")
    func destination() async throws {
        try await RPCTrial.run(["/s": RPCTrial.stalls, "/a": RPCTrial.file]) { harness async throws in
            let gid = try await harness.add("/a", #"{"pause":"true","out":"old"}"#)
            _ = try await harness.call(
                "aria2.changeOption", #"["\#(gid)",{"out":"new","dir":"\#(harness.folder.path)/sub"}]"#)
            _ = try await harness.refusal("aria2.changeOption", #"["\#(gid)",{"dir":"/etc"}]"#)
            _ = try await harness.call("aria2.unpause", #"["\#(gid)"]"#)
            await harness.idle()
            #expect(harness.folder.bytes("sub/new") == RPCTrial.file.allBytes)
            let other = try await harness.add("/s")
            try await harness.until(other, bytes: 100_000)
            #expect(
                try await harness.refusal("aria2.changeOption", #"["\#(other)",{"out":"x"}]"#).contains(
                    "can't be changed")
            )
        }
    }

    @Test("options for all: what the manager has is told, limits hold at once, new downloads have them")
    func global() async throws {
        try await RPCTrial.run(["/a": RPCTrial.file]) { harness async throws in
            #expect(try await harness.call("aria2.getGlobalOption")["max-concurrent-downloads"] == .string("3"))
            let change =
                #"[{"max-concurrent-downloads":"7","max-overall-download-limit":"2M","user-agent":"all","nonsense":"1","out":"x"}]"#
            #expect(try await harness.call("aria2.changeGlobalOption", change) == .string("OK"))
            let settings = try await harness.manager.currentSettings
            #expect(settings.limit == 7 && settings.rateLimit == 2 << 20)
            let reported = try await harness.call("aria2.getGlobalOption")
            #expect(
                reported["max-overall-download-limit"] == .string("2097152") && reported["user-agent"] == .string("all")
            )
            #expect(
                reported["rpc-listen-port"] == .string("6800") && reported["rpc-secret"] == nil
                    && reported["out"] == nil)
            #expect((reported.members?.count ?? 0) > 110)
            _ = try await harness.add("/a")
            await harness.idle()
            #expect(harness.server.requests("/a").last?.facts.header("User-Agent") == "all")
            _ = try await harness.call("aria2.changeGlobalOption", #"[{"max-overall-download-limit":"0"}]"#)
            #expect(try await harness.manager.currentSettings.rateLimit == nil)
            for bad in [#"{"max-concurrent-downloads":"0"}"#, #"{"split":"x"}"#] {
                _ = try await harness.refusal("aria2.changeGlobalOption", "[\(bad)]")
            }
        }
    }

    @Test("the limits are changed by the owner of the settings, if there is one")
    func ownedSettings() async throws {
        let changes = Mutex<[[Int64?]]>([])
        let setup = RPCSetup.interface {
            $0.changeSettings = { jobs, rate in changes.withLock { $0.append([jobs, rate]) } }
        }
        try await RPCTrial.run([:], setup) { harness async throws in
            for change in [
                #"{"max-concurrent-downloads":"7","user-agent":"me"}"#, #"{"max-overall-download-limit":"0"}"#,
                #"{"user-agent":"all"}"#,
            ] {
                try await harness.call("aria2.changeGlobalOption", "[\(change)]")
            }
            #expect(changes.withLock { $0 } == [[7, nil], [nil, 0]])
            #expect(try await harness.manager.currentSettings.limit == 3)
        }
    }

    @Test("a change of the options does not undo a pause by another client")
    func pausedMeanwhile() async throws {
        let file = Resource.file(seed: 33, size: 3_000_000).script { _ in .stall(after: 10_000) }
        try await RPCTrial.run(["/s": file]) { harness async throws in
            let gid = try await harness.add("/s", #"{"split":"1"}"#)
            for round in 0..<10 {
                let count = harness.server.requests("/s").count
                if round > 0 { try await harness.call("aria2.unpause", #"["\#(gid)"]"#) }
                if round > 0 { _ = try await harness.server.until { $0.requests.count > count } }
                async let paused = harness.reply("aria2.pause", #"["\#(gid)"]"#)
                async let changed = harness.reply("aria2.changeOption", #"["\#(gid)",{"max-tries":"\#(round + 1)"}]"#)
                _ = try await (paused, changed)
                #expect(try await harness.status(gid) == "paused")
            }
        }
    }

    @Test("the path of a running download that has no data yet can be changed")
    func runningDestination() async throws {
        try await RPCTrial.run(["/s": RPCTrial.file.script { _ in .silence() }]) { harness async throws in
            let gid = try await harness.add("/s", #"{"out":"old"}"#)
            _ = try await harness.server.until { !$0.requests.isEmpty }
            harness.server.set("/s", RPCTrial.file)
            try await harness.call("aria2.changeOption", #"["\#(gid)",{"out":"new"}]"#)
            await harness.idle()
            #expect(harness.folder.bytes("new") == RPCTrial.file.allBytes)
        }
    }

    @Test("of two downloads that are added at once with one GID, one is refused")
    func oneGID() async throws {
        try await RPCTrial.run([:], .holding) { harness async throws in
            for number in 0..<20 {
                let gid = "00000000000abc\(10 + number)"
                func parameters(_ name: String) -> String {
                    #"[["http://h.example/\#(name)\#(number)"],{"gid":"\#(gid)"}]"#
                }
                async let first = harness.reply("aria2.addUri", parameters("a"))
                async let second = harness.reply("aria2.addUri", parameters("b"))
                let replies = try await [first, second]
                #expect(replies.map(\.status).sorted() == [200, 400])
            }
            #expect(try await harness.manager.count() == 20)
        }
    }

    @Test("a session is saved while clients remove downloads")
    func removedMeanwhile() async throws {
        try await RPCTrial.run([:], .holding) { harness async throws in
            for round in 0..<5 {
                for number in 0..<100 { _ = try await harness.add("/\(round)-\(number)") }
                async let removed = harness.manager.remove(.all, files: .none)
                while try await harness.manager.count() > 0 { _ = try await harness.rpc.session() }
                _ = try await removed
            }
        }
    }

    @Test("without a secret the session is saved below the folder, under a plain name, where something saves it")
    func sessionPaths() async throws {
        let folder = try TemporaryFolder()
        let manager = try await DownloadManager(ManagerConfiguration(storage: .inMemory))
        var configuration = Aria2Configuration(roots: Aria2Roots(folder: folder.path, roots: [folder.path]))
        func isTaken(_ path: String) async -> Bool {
            let call = #"{"id":1,"method":"aria2.changeGlobalOption","params":[{"save-session":"\#(path)"}]}"#
            let reply = await Aria2RPC(manager, configuration).response(Array(call.utf8))
            return String(decoding: reply.body, as: UTF8.self).contains(#""OK""#)
        }
        #expect(await isTaken(folder.path + "/session") == false)
        configuration.saveSession = { _ throws(Aria2Failure) in }
        #expect(await isTaken(folder.path + "/session"))
        for path in ["/etc/x", "session", folder.path + "/../x", folder.path + "/.profile"] {
            #expect(await isTaken(path) == false, "\(path)")
        }
        await manager.close()
    }

    @Test("URIs are taken away and put in; the last one stays")
    func uris() async throws {
        try await RPCTrial.run(["/a": RPCTrial.file, "/b": RPCTrial.file]) { harness async throws in
            let (one, two) = (harness.server.url("/a"), harness.server.url("/b"))
            let gid = try await harness.add("/a", #"{"pause":"true","out":"f"}"#)
            #expect(
                try await harness.call("aria2.changeUri", #"["\#(gid)",1,[],["\#(two)","nonsense"]]"#)
                    == .array([.number("0"), .number("1")]))
            func uris() async throws -> [String?] {
                try await harness.call("aria2.getUris", #"["\#(gid)"]"#).elements?.map { $0["uri"]?.text } ?? []
            }
            #expect(try await uris() == [one, two])
            let again = try await harness.call("aria2.changeUri", #"["\#(gid)",1,["\#(two)"],["\#(two)","\#(one)"]]"#)
            #expect(again == .array([.number("1"), .number("2")]))
            #expect(try await uris() == [one, two])
            _ = try await harness.refusal("aria2.changeUri", #"["\#(gid)",1,["\#(one)","\#(two)"],[]]"#)
            _ = try await harness.refusal("aria2.changeUri", #"["\#(gid)",2,[],[]]"#)
            #expect(
                try await harness.call("aria2.changeUri", #"["\#(gid)",1,["\#(one)","x"],[],9223372036854775807]"#)
                    == .array([.number("1"), .number("0")]))
            #expect(try await uris() == [two])
            _ = try await harness.call("aria2.unpause", #"["\#(gid)"]"#)
            await harness.idle()
            #expect(harness.folder.bytes("f") == RPCTrial.file.allBytes)
            #expect(harness.server.requests("/a").isEmpty)
        }
    }

    @Test("folders and sources that change while the interface is served apply to the next call")
    func changedRules() async throws {
        let folder = try TemporaryFolder()
        let rules = Mutex((name: "a", allowsAll: false))
        var configuration = Aria2Configuration {
            let root = folder.path + "/" + rules.withLock { $0.name }
            return Aria2Roots(folder: root, roots: [root])
        }
        configuration.admit = { spec throws(DownloadError) in
            guard rules.withLock({ $0.allowsAll }) || !spec.url.contains("private") else {
                throw DownloadError(.invalidRequest, "not public")
            }
            spec.publicAddressesOnly = true
        }
        for name in ["a", "b"] {
            try FileManager.default.createDirectory(
                atPath: folder.path + "/" + name, withIntermediateDirectories: true)
        }
        let manager = try await DownloadManager(ManagerConfiguration(storage: .inMemory))
        let rpc = Aria2RPC(manager, configuration)
        func message(_ method: String, _ parameters: String) async -> String {
            let reply = await rpc.response(Array(#"{"id":1,"method":"\#(method)","params":\#(parameters)}"#.utf8))
            return String(decoding: reply.body, as: UTF8.self)
        }
        func add(_ host: String) async -> String {
            await message("aria2.addUri", #"[["http://\#(host).test/x"],{"pause":"true"}]"#)
        }
        #expect(await add("private").contains("not public"))
        rules.withLock { $0 = ("b", true) }
        #expect(await add("private").contains("\"result\""))
        #expect(await message("aria2.getGlobalOption", "[]").contains(folder.path + "/b\""))
        let outside = await message("aria2.changeGlobalOption", #"[{"dir":"\#(folder.path)/a"}]"#)
        #expect(outside.contains("is outside the allowed folders"), "\(outside)")
        let added = try #require(try await manager.snapshots().first)
        #expect(added.spec.destination == .folder(path: folder.path + "/b") && added.spec.publicAddressesOnly)
        await manager.close()
    }

    @Test("a client's new URIs follow its own rules, also in a download that another client added")
    func ruledURIs() async throws {
        let rules: @Sendable (inout DownloadSpec) throws(DownloadError) -> Void = { spec throws(DownloadError) in
            for url in [spec.url] + spec.mirrors.map(\.url) where url.contains("private") {
                throw DownloadError(.invalidRequest, "not public")
            }
            spec.publicAddressesOnly = true
        }
        try await RPCTrial.run([:], .interface { $0.admit = rules }) { harness async throws in
            var spec = DownloadSpec(url: "http://one.test/x", destination: .folder(path: harness.folder.path))
            spec.startsPaused = true
            let download = try await harness.manager.add(spec)
            let gid = GID(download.id)
            for change in [#"["http://one.test/x"],["http://private.test/x"]"#, #"[],["http://private.test/x"]"#] {
                #expect(try await harness.refusal("aria2.changeUri", #"["\#(gid)",1,\#(change)]"#) == "not public")
            }
            #expect(try await harness.manager.snapshot(download.id).spec.publicAddressesOnly == false)
            _ = try await harness.call(
                "aria2.changeUri", #"["\#(gid)",1,["http://one.test/x"],["http://two.test/x"]]"#)
            let changed = try await harness.manager.snapshot(download.id).spec
            #expect(changed.url == "http://two.test/x" && changed.publicAddressesOnly)
        }
    }

    @Test("a GID and the options of a download are the same after a restart")
    func relaunch() async throws {
        let folder = try TemporaryFolder()
        let configuration = ManagerConfiguration(storage: .file(path: folder.path("list.sqlite")))
        let roots = Aria2Roots(folder: folder.path, roots: [folder.path])
        var gid = ""
        for isFirst in [true, false] {
            let manager = try await DownloadManager(configuration)
            let rpc = Aria2RPC(manager, Aria2Configuration(roots: roots))
            if isFirst {
                let options = try Aria2Options(
                    [
                        .init("pause", .string("true")), .init("file-allocation", .string("none")),
                        .init("out", .string("f")),
                    ],
                    .download)
                gid = try await rpc.add(["http://127.0.0.1:1/a"], options).description
            }
            let reply = await rpc.response(Array(#"{"id":1,"method":"aria2.getOption","params":["\#(gid)"]}"#.utf8))
            let reported = try JSONReader.read(reply.body)["result"]
            #expect(reported?["file-allocation"] == .string("none") && reported?["out"] == .string("f"))
            await manager.close()
        }
    }

    @Test("a shutdown is answered first; a session has what is left to do, with its headers and passwords")
    func ending() async throws {
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        try await RPCTrial.run(["/a": RPCTrial.file], .interface { $0.shutdown = { end.yield($0) } }) {
            harness async throws in
            let gid = try await harness.add(
                "/a",
                #"{"pause":"true","out":"f","header":["X-Token: hush"],"split":"2","http-user":"u","http-passwd":"hush"}"#
            )
            _ = try await harness.add("/a", #"{"out":"g"}"#)
            await harness.idle()
            let session = try await harness.rpc.session()
            #expect(session.entries.map(\.uris) == [[harness.server.url("/a")]])
            #expect(
                session.text.contains(" gid=\(gid)\n") && session.text.contains(" pause=true\n")
                    && session.text.contains(" out=f\n"))
            #expect(session.text.contains(" split=2\n") && session.text.contains(" http-user=u\n"))
            #expect(
                session.text.contains(" header=X-Token: hush\n") && session.text.contains(" http-passwd=hush\n"))
            // Nobody set these.
            for name in ["timeout", "connect-timeout", "max-tries", "max-download-limit", "remote-time"] {
                #expect(!session.text.contains(" \(name)="), "\(session.text)")
            }
            let reported = try await harness.call("aria2.getOption", #"["\#(gid)"]"#)
            let common = try await harness.call("aria2.getGlobalOption")
            #expect(!reported.line.contains("hush"))
            for name in ["timeout", "connect-timeout", "max-tries"] {
                #expect(reported[name] == common[name] && common[name] != nil, "\(name)")
            }
            let again = try #require(Aria2List(parsing: Array(session.text.utf8)).entries.first)
            try await harness.call("aria2.remove", #"["\#(gid)"]"#)
            try await harness.call("aria2.removeDownloadResult", #"["\#(gid)"]"#)
            _ = try await harness.rpc.add(again.uris, Aria2Options(again.options, .download))
            try await harness.call("aria2.unpauseAll")
            await harness.idle()
            let asked = try #require(harness.server.requests("/a").last?.facts)
            #expect(asked.header("X-Token") == "hush" && asked.header("Authorization") == "Basic dTpodXNo")
            #expect(try await harness.call("aria2.saveSession") == .string("OK"))
            #expect(try await harness.call("aria2.shutdown") == .string("OK"))
            #expect(try await harness.call("aria2.forceShutdown") == .string("OK"))
            var both: Set<Bool> = []
            for await atOnce in ends {
                both.insert(atOnce)
                if both.count == 2 { break }
            }
        }
        try await RPCTrial.run { harness async throws in _ = try await harness.refusal("aria2.shutdown") }
        try await RPCTrial.run([:], .interface { $0.saveSession = { _ in } }) { harness async throws in
            #expect(try await harness.refusal("aria2.saveSession") == "Filename is not given.")
        }
    }

    @Test("notifications: start, pause, complete, stop, error, in their order, with the GID, also of one that has gone")
    func notifications() async throws {
        try await RPCTrial.run(["/s": RPCTrial.stalls, "/a": RPCTrial.file]) { harness async throws in
            var received = Aria2Notifications(harness.manager).makeAsyncIterator()
            func next() async -> String? { await received.next()?.text }
            func text(_ name: String, _ gid: String) -> String {
                #"{"jsonrpc":"2.0","method":"aria2.onDownload\#(name)","params":[{"gid":"\#(gid)"}]}"#
            }
            let one = try await harness.add("/s")
            #expect(await next() == text("Start", one))
            try await harness.call("aria2.pause", #"["\#(one)"]"#)
            #expect(await next() == text("Pause", one))
            harness.server.set("/s", RPCTrial.file)
            try await harness.call("aria2.unpause", #"["\#(one)"]"#)
            #expect(await next() == text("Start", one))
            #expect(await next() == text("Complete", one))
            let two = try await harness.add("/missing")
            #expect(await next() == text("Start", two))
            #expect(await next() == text("Error", two))
            harness.server.set("/s", RPCTrial.stalls)
            let three = try await harness.add("/s", #"{"out":"three"}"#)
            #expect(await next() == text("Start", three))
            try await harness.call("aria2.remove", #"["\#(three)"]"#)
            #expect(await next() == text("Stop", three))
            let four = try await harness.add("/s", #"{"out":"four"}"#)
            #expect(await next() == text("Start", four))
            let id = try #require(await harness.manager.download(key: "aria2:\(four)")?.id)
            try await harness.manager.remove(id)
            #expect(await next() == text("Stop", four))
        }
    }

    @Test("notifications: of one that ran before, its end alone")
    func notificationsLater() async throws {
        try await RPCTrial.run(["/s": RPCTrial.stalls]) { harness async throws in
            let (one, two) = (try await harness.add("/s"), try await harness.add("/s", #"{"out":"two"}"#))
            for gid in [one, two] {
                let download = try #require(await harness.manager.download(key: "aria2:\(gid)"))
                for try await event in download.events { if case .progress = event.kind { break } }
            }
            var received = Aria2Notifications(harness.manager).makeAsyncIterator()
            let missing = try await harness.add("/missing")
            var reported: [String] = []
            func receive() async {
                if let next = await received.next() { reported.append("\(next.notification) \(next.gid)") }
            }
            await receive()
            await receive()
            let id = try #require(await harness.manager.download(key: "aria2:\(one)")?.id)
            try await harness.manager.remove(id)
            await receive()
            try await harness.call("aria2.pause", #"["\#(two)"]"#)
            await receive()
            #expect(reported == ["start \(missing)", "error \(missing)", "stop \(one)", "pause \(two)"])
        }
    }
}
