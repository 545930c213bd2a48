import Foundation
import Haul
import HaulAria2
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Downloads over aria2's interface", .usesSockets)
struct Aria2DownloadTests {
    static let file = RPCTrial.file
    static let stalls = RPCTrial.stalls

    @Test("added, complete, told with all keys; numbers are texts; then forgotten, while the file stays")
    func complete() async throws {
        try await RPCTrial.run(["/a": Self.file]) { harness async throws in
            let gid = try await harness.add("/a", #"{"out":"b.bin","split":"2","max-connection-per-server":"2"}"#)
            await harness.idle()
            let status = try await harness.call("aria2.tellStatus", #"["\#(gid)"]"#)
            let expected = [
                "gid": gid, "status": "complete", "totalLength": "300000", "completedLength": "300000",
                "numPieces": "1",
                "bitfield": "80", "errorCode": "0", "errorMessage": "", "connections": "0", "downloadSpeed": "0",
                "uploadLength": "0", "dir": harness.folder.path,
            ]
            for (key, value) in expected { #expect(status[key]?.text == value, "\(key)") }
            let found = try #require(status["files"]?.elements?.first)
            #expect(found["path"]?.text == harness.folder.path("b.bin"))
            #expect(found["uris"]?.elements?.first?["uri"]?.text == harness.server.url("/a"))
            #expect(harness.folder.bytes("b.bin") == Self.file.allBytes)
            #expect(
                try await harness.call("aria2.tellStatus", #"["\#(gid)",["status","gid","nonsense"]]"#).members?.count
                    == 2
            )
            #expect(try await harness.status(String(gid.prefix(8))) == "complete")
            #expect(try await harness.call("aria2.getFiles", #"["\#(gid)"]"#) == status["files"])
            #expect(try await harness.call("aria2.getPeers", #"["\#(gid)"]"#) == .array([]))
            for method in ["pause", "forcePause"] {
                #expect(
                    try await harness.refusal("aria2.\(method)", #"["\#(gid)"]"#) == "GID#\(gid) cannot be paused now")
            }
            #expect(try await harness.refusal("aria2.unpause", #"["\#(gid)"]"#) == "GID#\(gid) cannot be unpaused now")
            #expect(
                try await harness.refusal("aria2.remove", #"["\#(gid)"]"#) == "Active Download not found for GID#\(gid)"
            )
            #expect(
                try await harness.refusal("aria2.getServers", #"["\#(gid)"]"#) == "No active download for GID#\(gid)")
            #expect(try await harness.call("aria2.removeDownloadResult", #"["\#(gid)"]"#) == .string("OK"))
            #expect(try await harness.refusal("aria2.tellStatus", #"["\#(gid)"]"#) == "GID \(gid) is not found")
            #expect(harness.folder.bytes("b.bin") != nil)
        }
    }

    @Test("paused, resumed, removed: states, replies, and what is told of each")
    func verbs() async throws {
        try await RPCTrial.run(["/s": Self.stalls]) { harness async throws in
            let gid = try await harness.add("/s")
            try await harness.until(gid, bytes: 100_000)
            #expect(try await harness.status(gid) == "active")
            #expect(
                try await harness.call("aria2.tellActive", #"[["gid"]]"#).elements?.map { $0["gid"]?.text } == [gid])
            #expect(try await harness.call("aria2.getServers", #"["\#(gid)"]"#).elements?.count == 1)
            #expect(try await harness.refusal("aria2.removeDownloadResult", #"["\#(gid)"]"#).contains(gid))
            #expect(try await harness.call("aria2.pause", #"["\#(gid)"]"#) == .string(gid))
            #expect(try await harness.status(gid) == "paused")
            #expect(try await harness.status(gid, "downloadSpeed") == "0")
            #expect(try await harness.call("aria2.tellWaiting", #"[0,10,["gid"]]"#).elements?.count == 1)
            #expect(try await harness.call("aria2.unpause", #"["\#(gid)"]"#) == .string(gid))
            #expect(try await harness.refusal("aria2.unpause", #"["\#(gid)"]"#) == "GID#\(gid) cannot be unpaused now")
            #expect(try await harness.call("aria2.pauseAll") == .string("OK"))
            #expect(try await harness.status(gid) == "paused")
            #expect(try await harness.call("aria2.remove", #"["\#(gid)"]"#) == .string(gid))
            #expect(try await harness.status(gid) == "removed")
            #expect(try await harness.status(gid, "errorCode") == "31")
            #expect(try await harness.call("aria2.getGlobalStat")["numStopped"] == .string("1"))
            #expect(try await harness.call("aria2.purgeDownloadResult") == .string("OK"))
            #expect(try await harness.call("aria2.tellStopped", "[0,10]") == .array([]))
        }
    }

    @Test("a failure has aria2's number, and Haul's sentence")
    func failure() async throws {
        try await RPCTrial.run { harness async throws in
            let gid = try await harness.add("/missing")
            await harness.idle()
            #expect(try await harness.status(gid) == "error")
            #expect(try await harness.status(gid, "errorCode") == "3")
            #expect(try await harness.status(gid, "errorMessage")?.isEmpty == false)
        }
    }

    @Test(
        "GIDs: chosen, taken, wrong; beginnings that fit one, several, none; those of downloads that were added otherwise"
    )
    func gids() async throws {
        try await RPCTrial.run(["/a": Self.file], .holding) { harness async throws in
            let paused = #""pause":"true""#
            #expect(try await harness.add("/a", #"{"gid":"ABCDEF0000000001",\#(paused)}"#) == "abcdef0000000001")
            let again = #"[["\#(harness.server.url("/a"))"],{"gid":"abcdef0000000001"}]"#
            #expect(try await harness.refusal("aria2.addUri", again) == "No URI to download.")
            for bad in ["abc", "0000000000000000", "xbcdef0000000001"] {
                let text = #"[["\#(harness.server.url("/a"))"],{"gid":"\#(bad)"}]"#
                #expect(try await harness.refusal("aria2.addUri", text) == Aria2Failure.option("gid").message)
            }
            _ = try await harness.add("/a", #"{"gid":"abcdef0000000002",\#(paused)}"#)
            #expect(try await harness.refusal("aria2.tellStatus", #"["abcdef"]"#) == "GID abcdef is not unique")
            #expect(try await harness.status("ABCDEF0000000002", "gid") == "abcdef0000000002")
            let own = DownloadSpec(url: harness.server.url("/a"), destination: .folder(path: harness.folder.path))
            let other = try await harness.manager.add(own)
            let gid = GID(other.id).description
            #expect(try await harness.status(gid) == "waiting")
            #expect(try await harness.status(String(gid.prefix(12)), "gid") == gid)
            #expect(
                try await harness.refusal("aria2.tellStatus", #"["0000000000000001"]"#)
                    == "GID 0000000000000001 is not found")
            // The identity that its number would give belongs to nobody, since it has another one.
            let first = try #require(await harness.manager.download(key: "aria2:abcdef0000000001"))
            #expect(try await harness.refusal("aria2.tellStatus", #"["\#(GID(first.id))"]"#).hasSuffix("is not found"))
        }
    }

    @Test("the list in windows, from the front and from the end; the queue is moved in, whatever number is sent")
    func queue() async throws {
        try await RPCTrial.run(["/a": Self.file], .holding) { harness async throws in
            var gids: [String] = []
            for index in 0..<4 { gids.append(try await harness.add("/a", #"{"out":"\#(index)"}"#)) }
            func waiting(_ offset: String, _ count: String) async throws -> [Int?] {
                let list = try #require(
                    await harness.call("aria2.tellWaiting", #"[\#(offset),\#(count),["gid"]]"#).elements)
                return list.map { element in gids.firstIndex { $0 == element["gid"]?.text } }
            }
            #expect(try await waiting("0", "9223372036854775807") == [0, 1, 2, 3])
            #expect(try await waiting("1", "2") == [1, 2])
            #expect(try await waiting("-1", "2") == [3, 2])
            #expect(try await waiting("-4", "9") == [0])
            for beyond in ["4", "-5", "9223372036854775807", "-9223372036854775808"] {
                #expect(try await waiting(beyond, "9").isEmpty)
            }
            func move(_ index: Int, _ place: String, _ how: String) async throws -> JSON {
                try await harness.call("aria2.changePosition", #"["\#(gids[index])",\#(place),"\#(how)"]"#)
            }
            #expect(try await move(3, "0", "POS_SET") == .number("0"))
            #expect(try await waiting("0", "9") == [3, 0, 1, 2])
            #expect(try await move(3, "1", "POS_CUR") == .number("1"))
            #expect(try await waiting("0", "9") == [0, 3, 1, 2])
            #expect(try await move(0, "0", "POS_END") == .number("3"))
            #expect(try await waiting("0", "9") == [3, 1, 2, 0])
            #expect(try await move(3, "9223372036854775807", "POS_CUR") == .number("3"))
            #expect(try await move(3, "-9223372036854775808", "POS_END") == .number("0"))
            #expect(try await waiting("0", "9") == [3, 1, 2, 0])
            let first = try #require(
                await harness.call("aria2.addUri", #"[["\#(harness.server.url("/a"))"],{},0]"#).text)
            #expect(
                try await harness.call("aria2.tellWaiting", #"[0,1,["gid"]]"#).elements?.first?["gid"]?.text == first)
        }
    }

    private static let onlyWeb: Aria2Sources.Check = { source throws(DownloadError) in
        guard source.isWeb else { throw DownloadError(.invalidRequest, "only http") }
    }

    @Test("nothing leaves the roots, no proxy is chosen, nothing but http and https where it is said")
    func bounds() async throws {
        try await RPCTrial.run(["/a": Self.file], .interface { $0.checkSource = Self.onlyWeb }) {
            harness async throws in
            let url = harness.server.url("/a")
            for options in [
                #"{"dir":"/etc"}"#, #"{"out":"../x"}"#, #"{"dir":"\#(harness.folder.path)/.."}"#,
                #"{"all-proxy":"http://p:1"}"#,
                #"{"header":["A: b\r\nC: d"]}"#, #"{"header":["nonsense"]}"#, #"{"user-agent":"a\r\nC: d"}"#,
            ] {
                _ = try await harness.refusal("aria2.addUri", #"[["\#(url)"],\#(options)]"#)
            }
            for uris in [#"["ftp://127.0.0.1/a"]"#, #"["file:///etc/passwd"]"#, "[]", "[3]", #"["magnet:?xt=1"]"#] {
                _ = try await harness.refusal("aria2.addUri", "[\(uris)]")
            }
            for options in [#"{"dir":"/etc"}"#, #"{"save-session":"/etc/x"}"#, #"{"all-proxy":"http://p:1"}"#] {
                _ = try await harness.refusal("aria2.changeGlobalOption", "[\(options)]")
            }
            #expect(try await harness.manager.count() == 0)
            // What runs programs is not even read.
            #expect(
                try await harness.call("aria2.changeGlobalOption", #"[{"on-download-complete":"/bin/x"}]"#)
                    == .string("OK"))
            #expect(harness.rpc.options["on-download-complete"] == nil)
        }
    }

    @Test("a header that can't be sent is refused, and nothing is added")
    func headers() async throws {
        try await RPCTrial.run(["/a": Self.file]) { harness async throws in
            for name in ["Host", "proxy-authorization"] {
                _ = try await harness.refusal(
                    "aria2.addUri", #"[["\#(harness.server.url("/a"))"],{"header":["\#(name): x"]}]"#)
            }
            #expect(try await harness.manager.count() == 0)
        }
    }

    @Test("the server's date is kept with remote-time alone; without it, a complete file is still recognised")
    func remoteTime() async throws {
        try await RPCTrial.run(["/a": Self.file]) { harness async throws in
            func date(_ name: String) throws -> Date? {
                try FileManager.default.attributesOfItem(atPath: harness.folder.path(name))[.modificationDate] as? Date
            }
            let begin = Date(timeIntervalSinceNow: -60)
            _ = try await harness.add("/a", #"{"out":"now"}"#)
            _ = try await harness.add("/a", #"{"out":"then","remote-time":"true"}"#)
            await harness.idle()
            #expect(try #require(try date("now")) > begin)
            #expect(try #require(try date("then")) < begin)
            let first = try date("now")
            let again = try await harness.add("/a", #"{"out":"now","continue":"true"}"#)
            await harness.idle()
            #expect(try await harness.status(again) == "complete" && harness.folder.names == ["now", "then"])
            #expect(try date("now") == first)
        }
    }

    @Test("of a Metalink the selected files alone are added")
    func selectedFiles() async throws {
        try await RPCTrial.run(["/a": Self.file, "/b": Self.file]) { harness async throws in
            let text = """
                <?xml version="1.0"?><metalink xmlns="urn:ietf:params:xml:ns:metalink">
                <file name="one"><size>300000</size><url>\(harness.server.url("/a"))</url></file>
                <file name="two"><size>300000</size><url>\(harness.server.url("/b"))</url></file></metalink>
                """
            let base64 = Data(text.utf8).base64EncodedString()
            let gids = try await harness.call("aria2.addMetalink", #"["\#(base64)",{"select-file":"2"}]"#).elements
            #expect(gids?.count == 1)
            await harness.idle()
            #expect(harness.folder.bytes("two") == Self.file.allBytes)
            _ = try await harness.refusal("aria2.addMetalink", #"["\#(base64)",{"select-file":"2-1"}]"#)
        }
    }

    @Test("folders in a Metalink's names are created for what is selected, and no link is followed for them")
    func metalinkFolders() async throws {
        try await RPCTrial.run(["/a": Self.file]) { harness async throws in
            func base64(_ names: String...) -> String {
                let files = names.map { "<file name='\($0)'><url>\(harness.server.url("/a"))</url></file>" }.joined()
                return Data("<metalink xmlns='urn:ietf:params:xml:ns:metalink'>\(files)</metalink>".utf8)
                    .base64EncodedString()
            }
            let document = base64("a/x.bin", "b/x.bin", "c/x.bin")
            try await harness.call("aria2.addMetalink", #"["\#(document)",{"select-file":"2-3"}]"#)
            await harness.idle()
            #expect(harness.folder.names == ["b", "c"])
            #expect(harness.folder.bytes("b/x.bin") == Self.file.allBytes)
            #expect(harness.folder.bytes("c/x.bin") == Self.file.allBytes)
            try FileManager.default.createSymbolicLink(
                atPath: harness.folder.path("link"), withDestinationPath: harness.folder.path("b"))
            _ = try await harness.refusal("aria2.addMetalink", #"["\#(base64("d/y", "link/y"))"]"#)
            #expect(try await harness.manager.count() == 2 && harness.folder.bytes("b/y") == nil)
        }
    }

    @Test("a Metalink: a download for each file, verified; hostile ones are refused")
    func metalink() async throws {
        try await RPCTrial.run(["/a": Self.file, "/b": Self.file]) { harness async throws in
            let text = """
                <?xml version="1.0"?><metalink xmlns="urn:ietf:params:xml:ns:metalink">
                <file name="one"><size>300000</size><url>\(harness.server.url("/a"))</url></file>
                <file name="two"><size>300000</size><url>\(harness.server.url("/b"))</url></file></metalink>
                """
            let base64 = Data(text.utf8).base64EncodedString()
            let gids = try #require(await harness.call("aria2.addMetalink", #"["\#(base64)",{"out":"x"}]"#).elements)
            #expect(gids.count == 2)
            await harness.idle()
            #expect(
                harness.folder.bytes("one") == Self.file.allBytes && harness.folder.bytes("two") == Self.file.allBytes)
            for bad in ["AAAA", "!!", "", Data("<metalink/>".utf8).base64EncodedString()] {
                _ = try await harness.refusal("aria2.addMetalink", #"["\#(bad)"]"#)
            }
        }
    }
}
