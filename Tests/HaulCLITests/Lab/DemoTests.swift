import HaulTesting
import Testing

@Suite("The first steps", .enabled(if: BuiltProgram.exists), .timeLimit(.minutes(2)))
struct DemoTests {
    @Test("haul alone says in ten lines what to type")
    func alone() async throws {
        let end = try await BuiltProgram.run([], in: try TemporaryFolder())
        let lines = end.output.split(separator: "\n")
        #expect(end.status == 0 && end.error.isEmpty)
        #expect((2...10).contains(lines.count) && lines.allSatisfy { $0.count <= 100 })
        #expect(lines.first?.hasPrefix("haul URL ") == true && end.output.contains("haul --help"))
    }

    @Test("haul demo downloads, is killed, resumes and verifies, and leaves nothing behind")
    func demo() async throws {
        let folder = try TemporaryFolder()
        let end = try await BuiltProgram.run(["demo"], in: folder)
        #expect(end.status == 0, "\(end.output)\(end.error)")
        for step in ["Killed with SIGKILL", "sample.iso.part.haul", "The same command again", "Verified: SHA-256"] {
            #expect(end.output.contains(step))
        }
        #expect(folder.names.allSatisfy { $0.hasPrefix(".") })
    }

    @Test("it is not in the list of commands")
    func hidden() async throws {
        let folder = try TemporaryFolder()
        #expect(try await !BuiltProgram.run(["--help"], in: folder).output.contains("killed halfway"))
        #expect(try await BuiltProgram.run(["demo", "--help"], in: folder).output.contains("killed halfway"))
    }
}
