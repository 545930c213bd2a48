import ArgumentParser
import Foundation
import HaulCore
import HaulTesting
import Testing

@testable import HaulCLI

@Suite struct VerifyCommandTests {
    static let content: [UInt8] = Array("abc".utf8)
    static let md5 = "900150983cd24fb0d6963f7d28e17f72"
    static let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    private func plan(_ arguments: String...) throws -> VerifyPlan {
        try VerifyPlan(try #require(try HaulCommand.parseAsRoot(["verify"] + arguments) as? VerifyCommand))
    }

    private func problems(_ arguments: [String]) throws -> [String] {
        let command = try #require(try HaulCommand.parseAsRoot(["verify"] + arguments) as? VerifyCommand)
        do {
            _ = try VerifyPlan(command)
            return []
        } catch {
            return error.messages
        }
    }

    @Test func optionsReachThePlan() throws {
        #expect(try plan("a", "b", "-q", "--json").files == ["a", "b"])
        #expect(try plan("a").standard == .siblings)
        #expect(try plan("--checksums", "S").standard == .list("S"))
        let sum = try Checksum(.md5, hex: Self.md5)
        #expect(try plan("a", "--checksum", "md5:\(Self.md5)").standard == .checksum(sum))
        guard case .source(let spec) = try plan("a", "--url", "http://h/a", "--find-checksum").standard else {
            return #expect(Bool(false))
        }
        #expect(spec.url == "http://h/a" && spec.findsChecksum && spec.usesHeaderChecksum)
    }

    @Test func whoAsksAndByWhichWayReachesThePlan() throws {
        let plan = try plan(
            "a", "--url", "https://h/a", "--user", "me", "--password-file", "p", "--insecure", "--proxy", "http://p:1",
            "--ca-certificate", "c")
        guard case .source(let spec) = plan.standard else { return #expect(Bool(false)) }
        #expect(spec.user == "me" && spec.insecure && plan.network.passwordFile == "p")
        #expect(plan.network.proxy == "http://p:1" && plan.network.caCertificatePath == "c")
    }

    @Test(arguments: [
        [], ["--checksum", "x"], ["a", "--ignore-missing"], ["a", "--checksum", "x"],
        ["a", "b", "--checksum", "md5:\(md5)"], ["a", "b", "--url", "http://h/"],
        ["a", "--url", "ftp:/x"], ["a", "--url", "http://h/", "--checksums", "S"],
        ["--checksums", "S", "--checksums", "T"],
        ["a", "--checksum", "md5:\(md5)", "--checksum", "sha-256:\(sha256)"],
    ])
    func whatCannotBeDoneIsOneLine(arguments: [String]) throws {
        #expect(try problems(arguments).count == 1)
    }

    @Test(arguments: [
        ("a", "S", "a"), ("sub/a", "d/S", "d/sub/a"), ("./a", "/S", "/./a"), ("a", "/d/S", "/d/a"),
        ("/etc/passwd", "S", nil),
        ("../a", "d/S", nil), ("b/../../a", "d/S", nil), ("", "S", nil), ("a\0b", "S", nil), ("b//a", "S", nil),
        ("../\u{301}a", "d/S", nil), ("/\u{301}a", "S", nil), ("a", "d/\u{301}S", "d/a"),
    ])
    func namesStayInTheFolderOfTheList(name: String, list: String, path: String?) {
        #expect(VerifyPlan.path(name, listedIn: list) == path)
    }

    private func makeFolder(_ name: String, in folder: TemporaryFolder) throws {
        try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: false)
    }

    private func code(_ arguments: String...) async -> Int32 {
        await HaulProgram.run(arguments: ["verify", "-q"] + arguments)
    }

    @Test func filesAreComparedWithWhatIsGivenListedOrBeside() async throws {
        let folder = try TemporaryFolder()
        let file = "\(folder.path)/f"
        try folder.put(Self.content, "f")
        #expect(await code(file) == 2)
        #expect(await code(file, "--checksum", "md5:\(Self.md5)") == 0)
        #expect(await code(file, "--checksum", "md5:\(String(repeating: "0", count: 32))") == 16)
        #expect(await code("\(folder.path)/none", "--checksum", "md5:\(Self.md5)") == 18)
        #expect(await code(folder.path, "--checksum", "md5:\(Self.md5)") == 18)
        try folder.put(Array("\(Self.sha256)  f\n".utf8), "SHA256SUMS")
        #expect(await code(file) == 0)
        let list = "\(folder.path)/SHA256SUMS"
        #expect(await code("--checksums", list) == 0)
        #expect(await code(file, "--checksums", list) == 0)
        try folder.put(Array("x".utf8), "g")
        try folder.put(Array("\(Self.sha256)  f\n\(Self.sha256)  g\n".utf8), "SHA256SUMS")
        #expect(await code("--checksums", list) == 16)
        try folder.put(Array("\(Self.sha256)  f\n\(Self.sha256)  ../f\n".utf8), "SHA256SUMS")
        #expect(await code("--checksums", list) == 2)
        try folder.put(Array("\(Self.sha256)  g\n\(Self.sha256)  missing\n".utf8), "SHA256SUMS")
        #expect(await code("--checksums", list) == 1)
        try folder.put(Array("nothing".utf8), "SHA256SUMS")
        #expect(await code("--checksums", list) == 2)
        #expect(await code("--checksums", "\(folder.path)/none") == 2)
        // A checksum without a name belongs to the file that is given with the list.
        try folder.put(Array("\(Self.sha256)\n".utf8), "SHA256SUMS")
        #expect(await code("--checksums", list) == 2)
        #expect(await code(file, "--checksums", list) == 0)
        // A list may be a pipe.
        try folder.put(Array("\(Self.sha256)  f\n".utf8), "L")
        let script = #"cat L | "$0" verify f --checksums /dev/stdin"#
        #expect(
            try await BuiltProgram.run(["-c", script, BuiltProgram.path], in: folder, program: "/bin/sh").status == 0)
    }

    @Test("missing files of a list have one line, and none with --ignore-missing", .enabled(if: BuiltProgram.exists))
    func missing() async throws {
        let folder = try TemporaryFolder()
        try folder.put(Self.content, "f")
        try folder.put(Array((["f", "a", "b"].map { "\(Self.sha256)  \($0)\n" }.joined()).utf8), "S")
        let all = try await BuiltProgram.run(["verify", "--checksums", "S"], in: folder)
        #expect(all.status == 18 && all.output == "f: verified by sha-256 (from S)\n")
        #expect(
            all.error == "haul: S: 2 of 3 listed files do not exist: a, b; to skip them: --ignore-missing\n"
        )
        let others = try await BuiltProgram.run(["verify", "--checksums", "S", "--ignore-missing"], in: folder)
        #expect(others.status == 0 && others.output == all.output && others.error.isEmpty)
        try folder.put(Array("\(Self.sha256)  a\n".utf8), "S")
        let none = try await BuiltProgram.run(["verify", "--checksums", "S", "--ignore-missing"], in: folder)
        #expect(none.status == 18)
        #expect(none.error == "haul: S: no file was verified: no listed file exists\n")
        let json = try await BuiltProgram.run(["verify", "--checksums", "S", "--json"], in: folder)
        #expect(
            json.status == 18 && json.output.contains("\"code\":\"fileFailed\"")
                && json.output.contains("\"path\":\"a\""))
        for arguments in [["a", "--checksum", "md5:\(Self.md5)"], ["a"], ["a", "--checksums", "S"]] {
            let named = try await BuiltProgram.run(["verify"] + arguments, in: folder)
            #expect(named.error == "haul: a does not exist\n")
        }
    }

    @Test("a list of one line is for the file that it names", .enabled(if: BuiltProgram.exists))
    func singleLine() async throws {
        let folder = try TemporaryFolder()
        for name in ["a", "b"] { try folder.put(Self.content, name) }
        for (line, arguments, status) in [
            ("\(Self.sha256)  a", ["b"], 2), ("SHA256 (a) = \(Self.sha256)", ["b"], 2), ("\(Self.sha256)", ["b"], 0),
            ("\(Self.sha256)  -", ["b"], 0), ("\(Self.sha256)  x/b", ["b"], 0), ("\(Self.sha256)", ["a", "b"], 2),
        ] as [(String, [String], Int32)] {
            try folder.put(Array("\(line)\n".utf8), "L")
            let end = try await BuiltProgram.run(["verify"] + arguments + ["--checksums", "L"], in: folder)
            #expect(end.status == status, "\(line): \(end.error)")
            guard line.contains("a"), arguments.count == 1, status == 2 else { continue }
            #expect(end.error == "haul: b: no checksum for b in L; it has one for a\n")
        }
    }

    @Test("a weaker list does not replace one that contradicts itself, or can't be read")
    func weakerList() async throws {
        let folder = try TemporaryFolder()
        try folder.put(Self.content, "f")
        let file = "\(folder.path)/f"
        try folder.put(Array("\(Self.md5)  f\n".utf8), "f.md5")
        try folder.put(Array("\(Self.sha256)  g\n".utf8), "SHA512SUMS")
        try makeFolder("CHECKSUMS", in: folder)
        #expect(await code(file) == 0)
        let other = String(repeating: "0", count: 64)
        try folder.put(Array("\(Self.sha256)  f\n\(other)  f\n".utf8), "SHA256SUMS")
        #expect(await code(file) == 2)
        try folder.put(Array("\(Self.sha256)  f\n".utf8), "SHA256SUMS")
        #expect(await code(file) == 0)
        #expect(unsafe mkfifo(file + ".sha256", 0o600) == 0)
        #expect(await code(file) == 18)
    }

    @Test("conflicting checksums of a path are not replaced by that of its name")
    func conflict() async throws {
        let folder = try TemporaryFolder()
        try makeFolder("sub", in: folder)
        for name in ["x", "sub/x"] { try folder.put(Self.content, name) }
        let list = "\(folder.path)/S"
        let other = String(repeating: "0", count: 64)
        for (lines, status) in [
            (["\(other)  sub/x", "\(Self.sha256)  sub/x", "\(Self.sha256)  x"], 2),
            (["\(other)  ./sub/x", "\(Self.sha256)  x"], 16), (["\(Self.sha256)  ./sub/x"], 0),
        ] as [([String], Int32)] {
            try folder.put(Array(lines.map { $0 + "\n" }.joined().utf8), "S")
            #expect(await code("--checksums", list) == status, "\(lines)")
        }
        let path = "\(folder.path)/sub/x"
        try folder.put(Array("\(other)  \(path)\n\(Self.sha256)  \(path)\n\(Self.sha256)  x\n".utf8), "S")
        #expect(await code(path, "--checksums", list) == 2)
    }

    @Test("a name that is too long for a list beside it has no such list")
    func longName() async throws {
        let folder = try TemporaryFolder()
        let name = String(repeating: "n", count: 250)
        try folder.put(Self.content, name)
        #expect(await code("\(folder.path)/\(name)") == 2)
        try folder.put(Array("\(Self.sha256)  \(name)\n".utf8), "SHA256SUMS")
        #expect(await code("\(folder.path)/\(name)") == 0)
    }

    @Test("lines of a list that are not verified are counted")
    func otherLines() throws {
        let sums = ChecksumFile(
            Array("# comment\n\(String(repeating: "a", count: 64))  a\n\(String(repeating: "b", count: 96))  b\n".utf8))
        #expect(
            VerifyRun.warning(of: "L", sums)
                == "L: 1 line is skipped: it has no checksum that can be verified (SHA-512, SHA-256, SHA-1 or MD5)")
        #expect(
            VerifyRun.warning(of: "L", ChecksumFile(Array("\(String(repeating: "a", count: 64))  a\n".utf8))) == nil)
    }

    @Test("a file that can't be reached is not called missing", .enabled(if: BuiltProgram.exists))
    func unreachable() async throws {
        let folder = try TemporaryFolder()
        let name = String(repeating: "n", count: 300)
        for more in [["--checksum", "md5:\(Self.md5)"], []] {
            let end = try await BuiltProgram.run(["verify", name] + more, in: folder)
            #expect(end.status == 18 && end.error.contains("file name too long"), "\(end.error)")
        }
    }

    @Test("of many missing files five are named") func manyMissing() {
        let error = VerifyReport.missing((1...12).map { "\($0)" }, of: 20, isAllowed: false)
        #expect(error?.message.hasPrefix("12 of 20 listed files do not exist: 1, 2, 3, 4, 5 and 7 more; ") == true)
        #expect(VerifyReport.missing(["a"], of: 2, isAllowed: true) == nil)
        #expect(VerifyReport.missing([], of: 2, isAllowed: false) == nil)
    }

    @Test func aFileIsComparedWithWhatTheServerSays() async throws {
        let folder = try TemporaryFolder()
        try folder.put(Self.content, "f")
        let file = Resource.bytes(Self.content)
        let resources = [
            "/right": try file.reprDigest(.sha256), "/wrong": try file.reprDigest(.sha256, wrong: true),
            "/size": Resource.bytes([1]), "/date": file, "/none": file.lastModified(nil), "/found": file,
            "/found.md5": .text("\(Self.md5)\n"), "/moved": .redirect(to: "/right"),
        ]
        try await FaultServer.run(resources) { server in
            for (path, expected) in [
                "/right": 0, "/wrong": 16, "/size": 16, "/date": 16, "/none": 2, "/moved": 0, "/404": 3,
            ] {
                #expect(await code("\(folder.path)/f", "--url", server.url(path)) == Int32(expected), "\(path)")
            }
            #expect(await code("\(folder.path)/f", "--url", server.url("/found"), "--find-checksum") == 0)
            #expect(server.log.requests("/right").count == 2)
        }
    }

    @Test func theReportSaysItInWordsAndInJSON() throws {
        let sum = try Checksum(.md5, hex: Self.md5)
        let right = VerifyReport(path: "d/f\u{1B}", result: .success(.checksum(sum, .file("d/MD5SUMS"))))
        #expect(right.text == "d/f\u{FFFD}: verified by md5 (from MD5SUMS)" && right.exitCode == nil)
        #expect(
            right.json == """
                {"event":"verified","path":"d/f\\u001b","verification":{"by":"checksum",\
                "checksum":"md5:\(Self.md5)","file":"d/MD5SUMS","from":"file",\
                "message":"verified by md5 (from MD5SUMS)"}}

                """)
        let wrong = VerifyReport(path: "f", result: .failure(DownloadError(.checksumMismatch, "no", cause: "found x")))
        #expect(wrong.text == "haul: f: no (found x)" && wrong.exitCode == .checksumMismatch)
        let unreadable = DownloadError(.invalidRequest, "the list of checksums, d/l, can't be read")
        #expect(VerifyReport(path: "d/l", result: .failure(unreadable)).text == "haul: \(unreadable.message)")
        #expect(
            wrong.json == """
                {"error":{"cause":"found x","code":"checksumMismatch","message":"no"},"event":"failed",\
                "exitCode":16,"path":"f"}

                """)
    }
}
