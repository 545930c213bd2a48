import Haul
import HaulAria2
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Files that follow a Metalink", .usesSockets)
struct Aria2FollowTests {
    static let file = RPCTrial.file

    /// A document with these files, each with its path on the server.
    static func document(_ server: FaultServer, _ files: [(name: String, path: String)]) -> String {
        let entries = files.map { "<file name=\"\($0.name)\"><url>\(server.url($0.path))</url></file>" }.joined()
        return "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\">\(entries)</metalink>"
    }

    /// Adds the files of a complete download with this document.
    static func follow(_ gid: String, _ text: String, _ harness: RPCTrial) async throws -> [String] {
        let download = try #require(try await harness.manager.download(key: "aria2:\(gid)"))
        let snapshot = try await download.snapshot
        let gids = try await harness.rpc.follow(snapshot, Array(text.utf8), into: harness.folder.path, in: nil)
        await harness.idle()
        return gids.map(\.description)
    }

    @Test("they have the options of the Metalink's download, and both name each other")
    func options() async throws {
        try await RPCTrial.run(["/a": Self.file, "/b": Self.file]) { harness async throws in
            let text = Self.document(harness.server, [("one", "/a"), ("two", "/b")])
            harness.server.set("/m.meta4", .text(text))
            let options = #"""
                {"select-file":"2","max-download-limit":"50M","user-agent":"UA/9","header":["X-Key: k"],"split":"2",
                "max-connection-per-server":"2","out":"x.meta4"}
                """#
            let gid = try await harness.add("/m.meta4", options)
            await harness.idle()
            let gids = try await Self.follow(gid, text, harness)
            let file = try #require(gids.first)
            #expect(gids.count == 1 && harness.folder.names == ["two", "x.meta4"])
            let reported = try await harness.call("aria2.getOption", #"["\#(file)"]"#)
            let expected = [
                "max-download-limit": "52428800", "user-agent": "UA/9", "split": "2", "max-connection-per-server": "2",
            ]
            for (name, value) in expected { #expect(reported[name]?.text == value, "\(name)") }
            let requests = try await harness.server.settled().requests("/b")
            #expect(!requests.isEmpty)
            #expect(requests.allSatisfy { $0.facts.header("X-Key") == "k" && $0.facts.header("User-Agent") == "UA/9" })
            let status = try await harness.call("aria2.tellStatus", #"["\#(gid)"]"#)
            #expect(status["followedBy"] == .array([.string(file)]) && status["following"] == nil)
            #expect(try await harness.status(file, "following") == gid)
            let stopped = try await harness.call("aria2.tellStopped", #"[0,10,["following"]]"#).elements ?? []
            #expect(stopped.compactMap { $0["following"]?.text } == [gid])
        }
    }

    @Test("the files of a Metalink that itself follows one get no headers")
    func nested() async throws {
        try await RPCTrial.run(["/a": Self.file, "/b": Self.file]) { harness async throws in
            let text = Self.document(harness.server, [("n.meta4", "/a")])
            harness.server.set("/m.meta4", .text(text))
            let gid = try await harness.add("/m.meta4", #"{"header":["X-Key: k"]}"#)
            await harness.idle()
            let first = try await Self.follow(gid, text, harness)
            let next = Self.document(harness.server, [("three", "/b")])
            _ = try await Self.follow(try #require(first.first), next, harness)
            #expect(harness.folder.names == ["m.meta4", "n.meta4", "three"])
            let log = try await harness.server.settled()
            #expect(log.requests("/a").contains { $0.facts.header("X-Key") == "k" })
            #expect(log.requests("/b").allSatisfy { $0.facts.header("X-Key") == nil })
        }
    }

    @Test("files of another origin get no headers, even on the same host")
    func otherOrigin() async throws {
        let other = try await FaultServer.start(["/b": Self.file])
        try await RPCTrial.run(["/a": Self.file]) { harness async throws in
            harness.server.set("/m.meta4", .text(Self.document(other, [("two", "/b")])))
            let gid = try await harness.add("/m.meta4", #"{"header":["X-Key: k"]}"#)
            await harness.idle()
            _ = try await Self.follow(gid, Self.document(other, [("two", "/b")]), harness)
            #expect(harness.folder.names == ["m.meta4", "two"])
            let requests = try await other.settled().requests("/b")
            #expect(!requests.isEmpty && requests.allSatisfy { $0.facts.header("X-Key") == nil })
        }
        await other.stop()
    }

    @Test("the option of the download overrides that for all")
    func choice() async throws {
        try await RPCTrial.run { harness async throws in
            var own = Aria2Options()
            #expect(harness.rpc.followsMetalink(own))
            let option = try #require(Aria2Option.named("follow-metalink"))
            try own.take(option, "false")
            #expect(!harness.rpc.followsMetalink(own))
            try await harness.call("aria2.changeGlobalOption", #"[{"follow-metalink":"false"}]"#)
            #expect(!harness.rpc.followsMetalink(Aria2Options()))
            try own.take(option, "mem")
            #expect(harness.rpc.followsMetalink(own))
        }
    }
}
