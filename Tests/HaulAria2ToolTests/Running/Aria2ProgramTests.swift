import Foundation
import HaulAria2
import HaulTesting
import Testing

@testable import HaulAria2Tool

@Suite("aria2c as a program", .serialized)
struct Aria2ProgramTests {
    static let file = Resource.file(seed: 8, size: 300_000)

    static func run(
        _ arguments: [String], _ resources: [String: Resource] = ["/a": file, "/b": file],
        prepare: (TemporaryFolder, FaultServer) throws -> [String] = { _, _ in [] },
        _ check: (Int32, TemporaryFolder) async throws -> Void
    ) async throws {
        try await FaultServer.run(resources) { server in
            let folder = try TemporaryFolder()
            let more = try prepare(folder, server)
            let code = await Aria2Program.run(arguments: ["-q", "--no-conf", "-d", folder.path] + arguments + more)
            try await check(code, folder)
        }
    }

    /// Returns what a hook has written to the file `log`, once it has written a line: it may outlive the program.
    private static func told(_ folder: TemporaryFolder) async -> String {
        while folder.bytes("log")?.last != UInt8(ascii: "\n") { await Task.yield() }
        return String(decoding: folder.bytes("log") ?? [], as: UTF8.self)
    }

    @Test("one file, and several sources of one; a folder that is not there is made")
    func plain() async throws {
        try await Self.run([], prepare: { [$1.url("/a"), $1.url("/b"), "-o", "sub/x"] }) { code, folder in
            #expect(code == 0)
            #expect(folder.bytes("sub/x") == Self.file.allBytes)
            #expect(folder.names == ["sub"])
        }
        try await Self.run(["-Z", "-o", "x"], prepare: { [$1.url("/{a,b}"), "-P"] }) { code, folder in
            #expect(code == 0 && folder.names == ["a", "b"])
        }
    }

    @Test("without RPC, pause is ignored, on the command line and in lists; blanks in lists are too")
    func pause() async throws {
        try await Self.run(["--pause=true", "-o", "x"], prepare: { [$1.url("/a")] }) { code, folder in
            #expect(code == 0 && folder.names == ["x"])
        }
        try await Self.run(
            [],
            prepare: { folder, server in
                try folder.put(Array("\(server.url("/a"))\n out = y \n pause=true\n".utf8), "list")
                return ["-i", folder.path("list")]
            }
        ) { code, folder in
            #expect(code == 0 && folder.names == ["list", "y"])
        }
    }

    @Test("a list with options, a Metalink: all of it, and the number of the last failure")
    func lists() async throws {
        try await Self.run(
            ["-j1"],
            prepare: { folder, server in
                let list =
                    "\(server.url("/a"))\t\(server.url("/b"))\n out=one\n\(server.url("/missing"))\n\(server.url("/b"))\n split=x\n"
                try folder.put(Array(list.utf8), "list")
                return ["-i", folder.path("list")]
            }
        ) { code, folder in
            #expect(code == 3)
            #expect(folder.names == ["list", "one"])
        }
        try await Self.run(
            [],
            prepare: { folder, server in
                let text = """
                    <metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="m"><url>\(server.url("/a"))</url></file></metalink>
                    """
                try folder.put(Array(text.utf8), "x.meta4")
                return [folder.path("x.meta4")]
            }
        ) { code, folder in
            #expect(code == 0 && folder.bytes("m") == Self.file.allBytes)
        }
    }

    @Test("the files of a Metalink by URL follow it; a foreign host gets no headers", arguments: [true, false])
    func followed(follows: Bool) async throws {
        try await FaultServer.run(["/b": Self.file]) { other in
            var log: [String?] = []
            try await FaultServer.run(["/a": Self.file]) { server in
                let document = """
                    <metalink xmlns="urn:ietf:params:xml:ns:metalink">
                    <file name="one"><url>\(server.url("/a"))</url></file>
                    <file name="two"><url>\(other.url("/b").replacing("127.0.0.1", with: "localhost"))</url></file>
                    </metalink>
                    """
                server.set("/m.meta4", .text(document))
                let folder = try TemporaryFolder()
                let code = await Aria2Program.run(
                    arguments: [
                        "--no-conf", "-q", "-d", folder.path, "--header=X-Key: secret", "--follow-metalink=\(follows)",
                        server.url("/m.meta4"),
                    ])
                #expect(code == 0 && folder.names == (follows ? ["m.meta4", "one", "two"] : ["m.meta4"]))
                log = try await server.settled().requests("/a").map { $0.facts.header("X-Key") }
            }
            #expect(log == (follows ? ["secret"] : []))
            let foreign = try await other.settled().requests("/b").map { $0.facts.header("X-Key") }
            #expect(foreign == (follows ? [nil] : []))
        }
    }

    @Test(
        "the options of an entry in a list apply to the files of its Metalink",
        arguments: [
            ("select-file=2", ["list", "m.meta4", "two"]), ("follow-metalink=false", ["list", "m.meta4"]),
        ] as [(String, [String])])
    func listedMetalink(option: String, names: [String]) async throws {
        try await Self.run(
            [],
            prepare: { folder, server in
                let document = """
                    <metalink xmlns="urn:ietf:params:xml:ns:metalink">
                    <file name="one"><url>\(server.url("/a"))</url></file>
                    <file name="two"><url>\(server.url("/b"))</url></file></metalink>
                    """
                server.set("/m.meta4", .text(document))
                try folder.put(Array("\(server.url("/m.meta4"))\n \(option)\n".utf8), "list")
                return ["-i", folder.path("list")]
            }
        ) { code, folder in
            #expect(code == 0 && folder.names == names)
        }
    }

    @Test("lists and Metalinks are read from pipes", arguments: ["-i", "-M"])
    func pipes(option: String) async throws {
        let pipe = Pipe()
        try await Self.run(
            [],
            prepare: { _, server in
                let document = """
                    <metalink xmlns="urn:ietf:params:xml:ns:metalink">
                    <file name="m"><url>\(server.url("/a"))</url></file></metalink>
                    """
                let text = option == "-i" ? "\(server.url("/a"))\n out=m\n" : document
                try pipe.fileHandleForWriting.write(contentsOf: Data(text.utf8))
                try pipe.fileHandleForWriting.close()
                return [option, "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)"]
            }
        ) { code, folder in
            #expect(code == 0 && folder.bytes("m") == Self.file.allBytes)
        }
    }

    @Test("the log names the URL of each download, without secrets")
    func loggedURLs() async throws {
        var urls: (complete: String, failed: String) = ("", "")
        try await Self.run(
            ["-Z"],
            prepare: { folder, server in
                urls = (server.url("/a"), server.url("/missing?key="))
                return ["-l", folder.path("log"), urls.complete, urls.failed + "secret"]
            }
        ) { code, folder in
            let log = folder.bytes("log").map { String(decoding: $0, as: UTF8.self) } ?? ""
            #expect(code == 3 && !log.contains("secret"), "\(log)")
            #expect(log.contains(" from \(urls.complete) is complete\n"), "\(log)")
            #expect(log.contains("[NOTICE] Download complete: \(folder.path("a"))\n"), "\(log)")
            #expect(log.contains(" from \(urls.failed)REDACTED failed: "), "\(log)")
        }
    }

    @Test("a local torrent, a list that can't be read and a URL without a scheme are reported with the reason")
    func reasons() async throws {
        let list = "The input file, /no/such, can't be read. No such file or directory"
        var scheme = "No URI to download. invalid URL \"noscheme\": it must begin with http:// or https://"
        #if Curl
            scheme += " (or ftp://, ftpes://, ftps://, sftp://)"
        #endif
        let cases: [([String], String)] = [
            ([], "BitTorrent is not supported"), (["-i", "/no/such"], list), (["noscheme"], scheme),
        ]
        for (arguments, text) in cases {
            try await Self.run(
                arguments,
                prepare: { folder, _ in
                    try folder.put([1], "x.torrent")
                    return ["-l", folder.path("log")] + (arguments.isEmpty ? [folder.path("x.torrent")] : [])
                }
            ) { code, folder in
                let log = folder.bytes("log").map { String(decoding: $0, as: UTF8.self) } ?? ""
                #expect(code == 1 && log.contains("[ERROR] \(text)"), "\(log)")
            }
        }
    }

    @Test("entries of a session that can't be added stay in it, with their options, and those that are done do not")
    func sessionEntries() async throws {
        var bad = ""
        try await Self.run(
            [],
            prepare: { folder, server in
                bad = "magnet:?xt=1\n out=m\n\(server.url("/b"))\n out=b\n split=x\n"
                try folder.put(Array("\(server.url("/a"))\n out=a\n\(bad)".utf8), "list")
                return ["-i", folder.path("list"), "--save-session=\(folder.path("list"))"]
            }
        ) { code, folder in
            #expect(code != 0 && folder.names == ["a", "list"])
            #expect(folder.bytes("list").map { String(decoding: $0, as: UTF8.self) } == bad)
        }
    }

    @Test("an input file that exists but can't be read is not replaced by the session")
    func unreadSession() async throws {
        let sessions = Aria2SessionFile()
        sessions.keepUnread("/tmp/list")
        await #expect(throws: Aria2Failure.self) { try await sessions.save(to: "/tmp/list") }
    }

    @Test("what can't be: the numbers that programs look at")
    func refusals() async throws {
        for arguments in [["--nonsense"], ["-s", "x"], ["--conf-path=/no/such"], ["-D", "http://a/"]] {
            #expect(await Aria2Program.run(arguments: arguments) == 28)
        }
        #expect(await Aria2Program.run(arguments: ["--no-conf", "-q"]) == 1)
        try await Self.run(["magnet:?xt=1"]) { code, _ in #expect(code == 1) }
        try await Self.run(["-i", "/no/such"]) { code, _ in #expect(code == 1) }
        try await Self.run(["-M", "/no/such"]) { code, _ in #expect(code == 20) }
        // The folder can't be created: a file has its name.
        try await Self.run(
            [],
            prepare: { folder, server in
                try folder.put([1], "file")
                return ["-d", folder.path("file/sub"), "-l", folder.path("log"), server.url("/a")]
            }
        ) { code, folder in
            #expect(code == 18 && folder.names == ["file", "log"])
            let log = folder.bytes("log").map { String(decoding: $0, as: UTF8.self) } ?? ""
            let text = "[ERROR] Failed to make the directory \(folder.path("file/sub")), cause: Not a directory\n"
            #expect(log.contains(text), "\(log)")
        }
    }

    @Test(
        "hooks: the event's own one instead of the stop hook, with the path that was asked for; one that is missing is reported",
        .timeLimit(.minutes(2))
    )
    func hooks() async throws {
        for (path, expected) in [("/a", "complete 1 named\n"), ("/missing", "error 1 named\n")] {
            try await Self.run(
                ["-o", "named"],
                prepare: { folder, server in
                    let names = ["complete", "error", "stop"]
                    for name in names {
                        let script = "#!/bin/sh\necho ${0##*/} $2 ${3#\(folder.path)/} >> \(folder.path("log"))\n"
                        try folder.put(Array(script.utf8), name)
                        try FileManager.default.setAttributes(
                            [.posixPermissions: 0o700], ofItemAtPath: folder.path(name))
                    }
                    return names.map { "--on-download-\($0)=\(folder.path($0))" } + [server.url(path)]
                }
            ) { _, folder in #expect(await Self.told(folder) == expected) }
        }
        try await Self.run(
            ["-o", "named"],
            prepare: { folder, server in
                let script = "#!/bin/sh\necho start $2 ${3#\(folder.path)/} >> \(folder.path("log"))\n"
                try folder.put(Array(script.utf8), "hook")
                try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path("hook"))
                return ["--on-download-start=\(folder.path("hook"))", server.url("/a")]
            }
        ) { code, folder in
            let log = await Self.told(folder)
            #expect(code == 0 && log == "start 1 named\n")
        }
        try await Self.run(
            ["--on-download-complete=/nonexistent/hook"],
            prepare: { ["--log", $0.path("log"), $1.url("/a")] }
        ) { code, folder in
            let log = folder.bytes("log").map { String(decoding: $0, as: UTF8.self) } ?? ""
            let line = "[ERROR] Could not execute user command: /nonexistent/hook: No such file or directory\n"
            #expect(code == 0 && log.contains(line), "\(log)")
        }
    }

    @Test("the settings of Motrix and the best-known configuration of aria2 are accepted; unknown lines are named")
    func configurations() async throws {
        let settings = """
            continue=true
            always-resume=false
            max-resume-failure-tries=0
            retry-wait=10
            piece-length=1M
            allow-piece-length-change=true
            reuse-uri=false
            min-tls-version=TLSv1.2
            on-download-pause=
            rpc-listen-all=true
            rpc-secret=
            bogus=1
            """
        try await Self.run(
            [],
            prepare: { folder, server in
                try folder.put(Array(settings.utf8), "aria2.conf")
                return [
                    "--no-conf=false", "--conf-path", folder.path("aria2.conf"), "-l", folder.path("log"),
                    server.url("/a"),
                ]
            }
        ) { code, folder in
            let log = folder.bytes("log").map { String(decoding: $0, as: UTF8.self) } ?? ""
            #expect(code == 0 && folder.bytes("a") == Self.file.allBytes)
            #expect(log.contains("[WARN] \(folder.path("aria2.conf")), line 12: unknown option bogus\n"), "\(log)")
            #expect(log.contains("--piece-length, --reuse-uri\n"), "\(log)")
        }
    }

    @Test("an option in the configuration file that is refused is reported with file and line")
    func configurationFile() async throws {
        for line in ["daemon=true", "save-cookies=c"] {
            let folder = try TemporaryFolder()
            try folder.put(Array("# mine\n\(line)\n".utf8), "aria2.conf")
            #expect(await Aria2Program.run(arguments: ["--conf-path", folder.path("aria2.conf"), "http://a/"]) == 28)
        }
    }

    @Test(
        "its name, however it is reached",
        arguments: [
            ("aria2c", true), ("/x/aria2c", true), ("./aria2c", true), ("haul", false), ("", false),
            ("/aria2c/haul", false),
        ])
    func name(path: String, isIts: Bool) {
        #expect(Aria2Program.isName(path) == isIts)
    }
}
