import HaulTestTraits
import HaulTesting
import Testing

@Suite("Input from pipes", .enabled(if: BuiltProgram.exists), .usesSockets, .timeLimit(.minutes(5)))
struct PipeInputProgramTests {
    @Test(
        "a command that waits for a pipe without a writer says so, and ends with the first signal",
        arguments: [
            "-i pipe", "--metalink pipe", "--bearer-file pipe http://127.0.0.1:9/f",
            "--ca-certificate pipe http://127.0.0.1:9/f", "--netrc-file pipe http://127.0.0.1:9/f",
        ])
    func signal(options: String) async throws {
        let script = """
            mkfifo pipe
            "$0" get \(options) 2> errors & pid=$!
            until grep -qs "waiting for data from pipe, which is a pipe" errors; do sleep 0.02; done
            kill -TERM $pid
            wait $pid
            echo $?
            """
        let end = try await BuiltProgram.run(
            ["-c", script, BuiltProgram.path], in: try TemporaryFolder(), program: "/bin/sh")
        #expect(end.output == "143\n", "\(end.error)")
    }

    @Test("a command that waits for the first line of a pipe that is open says so, and ends with the first signal")
    func silent() async throws {
        let script = """
            mkfifo pipe
            sleep 60 > pipe & writer=$!
            "$0" get -i pipe 2> errors & pid=$!
            until grep -qs "waiting for data from pipe, which is a pipe" errors; do sleep 0.02; done
            kill -TERM $pid
            wait $pid
            echo $?
            kill $writer
            """
        let end = try await BuiltProgram.run(
            ["-c", script, BuiltProgram.path], in: try TemporaryFolder(), program: "/bin/sh")
        #expect(end.output == "143\n", "\(end.error)")
    }

    @Test("a list whose writer comes later is read")
    func writer() async throws {
        let resource = Resource.file(seed: 5, size: 3000)
        try await FaultServer.run(["/f": resource]) { server in
            let folder = try TemporaryFolder()
            let script = """
                mkfifo pipe
                (until grep -qs "waiting for data" errors; do sleep 0.02; done; echo "$1" > pipe) &
                exec "$0" get -i pipe 2> errors
                """
            let end = try await BuiltProgram.run(
                ["-c", script, BuiltProgram.path, server.url("/f")], in: folder, program: "/bin/sh")
            #expect(end.status == 0 && folder.bytes("f") == resource.allBytes, "\(end.error)")
        }
    }
}
