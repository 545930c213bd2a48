import HaulTestTraits
import HaulTesting
import Testing

@Suite("The program with few open files allowed", .enabled(if: BuiltProgram.exists), .usesSockets)
struct FewFilesProgramTests {
    /// 4: the resolver could not open a file.
    static let codes: Set<Int32> = [0, 4, 25]

    @Test("ends with the exit code for too many open files, or works, but is never killed by a signal")
    func few() async throws {
        let resource = Resource.file(seed: 5, size: 3000)
        try await FaultServer.run(["/f": resource]) { server in
            var codes: Set<Int32> = []
            for limit in [10, 11, 12, 13, 14, 16, 20, 24, 32, 64] {
                let folder = try TemporaryFolder()
                let script = "ulimit -n \(limit); exec \"$0\" \"$@\""
                let end = try await BuiltProgram.run(
                    ["-c", script, BuiltProgram.path, "get", server.url("/f")], in: folder, program: "/bin/sh")
                codes.insert(end.status)
                #expect(Self.codes.contains(end.status), "\(limit): \(end.status) \(end.error)")
                if end.status == 25 { #expect(end.error.contains("ulimit -n"), "\(limit): \(end.error)") }
                #expect(folder.bytes("f") == (end.status == 0 ? resource.allBytes : nil))
            }
            #expect(codes.isSuperset(of: [0, 25]))
        }
    }

    @Test("aria2's command line does the same, and does not wait for a file that nobody closes")
    func aria2() async throws {
        let resource = Resource.file(seed: 5, size: 300_000)
        try await FaultServer.run(["/f": resource]) { server in
            var codes: Set<Int32> = []
            for limit in [16, 18, 20, 21, 22, 24, 28, 40, 64] {
                let folder = try TemporaryFolder()
                let end = try await BuiltProgram.run(
                    [
                        "-c", "ulimit -n \(limit); exec \"$0\" \"$@\"", BuiltProgram.path, "aria2c", "--no-conf", "-o",
                        "f",
                        server.url("/f"),
                    ], in: folder, program: "/bin/sh")
                codes.insert(end.status)
                #expect([0, 17].contains(end.status), "\(limit): \(end.status) \(end.error)")
                #expect(folder.bytes("f") == (end.status == 0 ? resource.allBytes : nil))
            }
            #expect(codes == [0, 17])
        }
    }

    @Test("a command of the daemon's client says what it needs", arguments: [5, 8, 10, 12])
    func client(limit: Int) async throws {
        let end = try await BuiltProgram.run(
            ["-c", "ulimit -n \(limit); exec \"$0\" list", BuiltProgram.path], in: TemporaryFolder(),
            program: "/bin/sh")
        #expect(end.status == 25 && end.error.contains("ulimit -n"), "\(end.status) \(end.error)")
    }

    @Test("a server says what it needs, or works until it is stopped")
    func servers() async throws {
        for limit in [10, 12, 16, 20, 28, 36] {
            let folder = try TemporaryFolder()
            let daemon = "daemon run --state-folder state --socket s --root ."
            let aria2 = "aria2c --no-conf -q --enable-rpc --rpc-listen-port=6899 --stop=1"
            let cases: [(String, Set<Int32>)] = [(daemon, [25]), (aria2, [0, 1, 17])]
            for (command, codes) in cases {
                let end = try await BuiltProgram.run(
                    ["-c", "ulimit -n \(limit); exec \"$0\" \(command)", BuiltProgram.path], in: folder,
                    program: "/bin/sh")
                #expect(codes.contains(end.status), "\(limit), \(command): \(end.status) \(end.error)")
            }
        }
    }
}
