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
}
