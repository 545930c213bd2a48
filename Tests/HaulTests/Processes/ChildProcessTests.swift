import Foundation
import Haul
import HaulLibC
import HaulProcesses
import HaulTesting
import Testing

@Suite struct ChildProcessTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: [0, 1, 3, 126, 127, 255])
    func tellsTheExitCode(code: Int32) async throws {
        #expect(try await run("exit \(code)") == .exited(code: code))
    }

    @Test(arguments: [SIGKILL, SIGTERM, SIGPIPE, SIGUSR1])
    func tellsTheSignal(signal: Int32) async throws {
        #expect(try await run("kill -\(signal) $$") == .signalled(signal))
    }

    @Test func keepsWhatIsAskedFor() async throws {
        let program = try await folder.script("p", "echo out; echo error >&2; exit 3")
        let child = ChildProcess(program: program, arguments: ["p"], timeout: .seconds(20))
        let (output, errors) = (
            await child.run(keeping: .output, limit: 100), await child.run(keeping: .errors, limit: 100)
        )
        #expect(output.outcome == .exited(code: 3) && output.bytes == Array("out\n".utf8))
        #expect(errors.outcome == .exited(code: 3) && errors.bytes == Array("error\n".utf8))
    }

    @Test func tellsThatItCouldNotStart() async throws {
        try folder.put(Array("text".utf8), "plain")
        for program in [folder.path("missing"), folder.path("plain"), folder.path] {
            let outcome = await ChildProcess(program: program, arguments: ["x"], timeout: .seconds(20)).run()
            guard case .couldNotStart(let reason) = outcome else {
                Issue.record("\(program): \(outcome)")
                continue
            }
            #expect(!reason.isEmpty)
        }
    }

    @Test func passesArgumentsAsTheyAre() async throws {
        let arguments = ["", "a b", "$HOME", "`id`", "; exit 9", "*", "\"", "'", "\n", "é", "-n"]
        let program = try await folder.script("p", #"for a; do printf '%s\0' "$a"; done > "$HERE/argv""#)
        let outcome = await ChildProcess(program: program, arguments: ["own name"] + arguments, timeout: .seconds(20))
            .run()
        #expect(outcome == .exited(code: 0))
        #expect(folder.text("argv") == arguments.map { $0 + "\0" }.joined())
    }

    @Test func changesTheEnvironment() async throws {
        let script = #"printf '%s|%s|%s' "$HAUL_A" "${HOME-none}" "${PATH:+some}" > "$HERE/out""#
        #expect(try await run(script, environment: ["HAUL_A": "x=y z", "HOME": nil as String?]) == .exited(code: 0))
        #expect(folder.text("out") == "x=y z|none|some")
    }

    /// A pipe holds 64 KiB: with one, a program that doesn't read would make us wait or kill us.
    @Test(arguments: [0, 1, 65536, 3_000_000])
    func givesTheInputToWhoReadsIt(size: Int) async throws {
        let input = [UInt8](repeating: 0x61, count: size)
        #expect(try await run("cat > \"$HERE/in\"", input: input) == .exited(code: 0))
        let isWhole = folder.bytes("in") == input
        #expect(isWhole)
        #expect(try await run("exit 0", input: input) == .exited(code: 0))
        #expect(try await run("exec <&-; exit 4", input: input) == .exited(code: 4))
    }

    @Test func leavesNoZombie() async throws {
        #expect(try await run("printf $$ > \"$HERE/pid\"") == .exited(code: 0))
        let pid = try #require(folder.text("pid").flatMap(Int32.init))
        let found = kill(pid, 0)
        let cause = errno
        #expect(found == -1 && cause == ESRCH)
    }

    @Test func killsTheWholeGroupWhenTheTimeIsOver() async throws {
        let alive = try Fifo("alive", in: folder)
        let outcome = try await run(
            "trap '' TERM HUP INT; exec 9>\"$HERE/alive\"; echo up >&9; sleep 3600 & sleep 3600", timeout: .seconds(2))
        #expect(outcome == .timedOut)
        #expect(await alive.rest() == "up\n")
    }

    @Test func killsTheWholeGroupWhenItsTaskIsCancelled() async throws {
        let alive = try Fifo("alive", in: folder)
        let program = try await folder.script("p", "exec 9>\"$HERE/alive\"; echo up >&9; sleep 60 & sleep 60")
        let task = Task { await ChildProcess(program: program, arguments: ["p"], timeout: .seconds(50)).run() }
        #expect(await alive.first() == "up\n")
        task.cancel()
        #expect(await task.value == .cancelled)
        #expect(await alive.rest() == "")
    }

    @Test func whatItLeavesBehindHoldsNobodyUp() async throws {
        let script = "sleep 3600 & printf $! > \"$HERE/pid\"; exit 0"
        #expect(try await run(script, timeout: .seconds(1800)) == .exited(code: 0))
        let pid = try #require(folder.text("pid").flatMap(Int32.init))
        // It still runs, so nobody has waited for it.
        #expect(kill(pid, 0) == 0)
        kill(pid, SIGKILL)
    }

    #if os(Linux)
        @Test func inheritsNoDescriptor() async throws {
            // Without O_CLOEXEC, as a careless library would open it; high, where a shell keeps none of its own.
            let leaky = fcntl(2, F_DUPFD, 200)
            try #require(leaky >= 200)
            defer { close(leaky) }
            let script = #"for d in /proc/$$/fd/*; do echo "${d##*/} $(readlink "$d")"; done > "$HERE/fds""#
            #expect(try await run(script) == .exited(code: 0))
            let lines = try #require(folder.text("fds")).split(separator: "\n")
            let numbers = lines.compactMap { $0.split(separator: " ").first.flatMap { Int($0) } }
            // The shell keeps a few above 9 for itself.
            #expect(numbers.contains(0) && numbers.allSatisfy { $0 < 20 })
            #expect(lines.contains { $0.hasPrefix("0 ") && $0.contains("memfd") })
        }

        /// In a process of its own: other tests use Foundation's `Process`, which select(2) breaks beyond 1,024.
        @Test func worksWithDescriptorsAbove1024() async {
            await #expect(processExitsWith: .success) {
                var limit = rlimit()
                // The pointers are used during the calls only.
                _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                limit.rlim_cur = min(4096, limit.rlim_max)
                _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                let held = (0..<1100).map { _ in unsafe open("/dev/null", O_RDONLY | O_CLOEXEC) }
                guard let highest = held.max(), highest > 1024 else { exit(2) }
                for _ in 0..<3 {
                    let child = ChildProcess(
                        program: "/bin/sh", arguments: ["sh", "-c", "read a; test \"$a\" = hello"],
                        input: Array("hello\n".utf8), timeout: .seconds(20))
                    guard await child.run() == .exited(code: 0) else { exit(3) }
                }
                for descriptor in held { close(descriptor) }
                exit(0)
            }
        }

        @Test func leavesNoDescriptorBehind() async {
            await #expect(processExitsWith: .success) {
                func count() -> Int {
                    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? -1
                }
                func run(_ program: String) async {
                    _ = await ChildProcess(program: program, arguments: ["x"], input: [1], timeout: .seconds(20)).run()
                }
                // The first run opens what is kept for all: the monitor's epoll and event descriptors.
                await run("/bin/true")
                let before = count()
                for _ in 0..<20 { await run("/bin/true") }
                for _ in 0..<20 { await run("/missing") }
                exit(count() == before ? 0 : 1)
            }
        }
    #endif

    private func run(
        _ script: String, environment: [String: String?] = [:], input: [UInt8] = [], timeout: Duration = .seconds(30)
    ) async throws -> ProcessOutcome {
        let program = try await folder.script("program", script)
        return await ChildProcess(
            program: program, arguments: ["program"], environment: environment, input: input, timeout: timeout
        ).run()
    }
}
