import Foundation
import HaulLibC
import HaulTesting
import Synchronization
import Testing

@testable import HaulCLI

@Suite(.serialized) struct SignalWatcherTests {
    /// Signals go to the process, where other tests have programs of their own watch the usual two.
    @Test(arguments: [(SIGUSR1, StopReason.interrupt), (SIGUSR2, .terminate), (SIGVTALRM, .hangup)])
    func aSignalThatComesTwiceAtOnceIsOneStop(number: Int32, expected: StopReason) async {
        // However slow the machine: the second one never counts here, since it would end the tests.
        let watcher = SignalWatcher(pause: .seconds(3600), interrupt: SIGUSR1, terminate: SIGUSR2, hangup: SIGVTALRM)
        let (stops, stop) = AsyncStream.makeStream(of: StopReason?.self)
        let (registrations, registered) = AsyncStream.makeStream(of: Void.self)
        watcher.start(stop: { stop.yield($0) }, resumed: { stop.yield(nil) }, watching: { registered.yield() })
        var watching = registrations.makeAsyncIterator()
        for _ in 0..<4 { _ = await watching.next() }
        kill(getpid(), number)
        kill(getpid(), number)
        var iterator = stops.makeAsyncIterator()
        #expect(await iterator.next() == .some(expected))
        // Signals are delivered on one queue: when SIGCONT has come, a second stop would have come before it.
        kill(getpid(), SIGCONT)
        #expect(await iterator.next() == .some(nil))
        watcher.end()
    }

    @Test("a run that a system call blocks ends with the first signal", .timeLimit(.minutes(5)))
    func blocked() async {
        await #expect(processExitsWith: .exitCode(128 + SIGUSR2)) {
            let watcher = SignalWatcher(
                pause: .milliseconds(1), interrupt: SIGUSR1, terminate: SIGUSR2, hangup: SIGVTALRM)
            let (events, event) = AsyncStream.makeStream(of: Void.self)
            watcher.start(stop: { _ in }, resumed: {}, isBlocked: { true }, watching: { event.yield() })
            var iterator = events.makeAsyncIterator()
            for _ in 0..<4 { _ = await iterator.next() }
            kill(getpid(), SIGUSR2)
            // There is no further event.
            _ = await iterator.next()
        }
    }

    @Test(
        "a hangup saves and ends; it stays ignored under nohup, as does an interrupt in the background of a script",
        .enabled(if: BuiltProgram.exists), .timeLimit(.minutes(5)),
        arguments: [("HUP", false), ("HUP", true), ("INT", true)])
    func ignored(signal: String, isIgnored: Bool) async throws {
        let resource = Resource.file(seed: 5, size: 3_000_000)
        try await FaultServer.run(["/f": resource], throttle: 2_000_000) { server in
            let folder = try TemporaryFolder()
            // The program takes the place of the shell, and gets the signal once it has received something.
            let script = """
                \(isIgnored ? "trap '' \(signal)" : ":")
                (while ! grep -qs '"sessionBytes":[1-9]' events; do sleep 0.02; done; kill -\(signal) $$) &
                exec "$0" get -q -c 1 --json "$1" > events
                """
            let end = try await BuiltProgram.run(
                ["-c", script, BuiltProgram.path, server.url("/f")], in: folder, program: "/bin/sh")
            #expect(end.status == (isIgnored ? 0 : 129), "\(end.error)")
            #expect((folder.bytes("f") == resource.allBytes) == isIgnored)
            #expect((folder.bytes("f.part") == nil) == isIgnored)
        }
    }

    /// The program of the next test gets a mask that blocks signals, so it shows only the error.
    @Test("a write beyond the limit on file sizes fails, and is no signal")
    func ignoresFileSizes() {
        signal(SIGXFSZ, SIG_DFL)
        let watcher = SignalWatcher(interrupt: SIGUSR1, terminate: SIGUSR2, hangup: SIGVTALRM)
        watcher.start(stop: { _ in }, resumed: {})
        watcher.end()
        // Unsafe: only the addresses of handlers are compared.
        let isIgnored =
            unsafe unsafeBitCast(signal(SIGXFSZ, SIG_IGN), to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
        #expect(isIgnored)
    }

    @Test(
        "little memory is warned of", .enabled(if: BuiltProgram.exists),
        arguments: [("-v 500000", "limited to 488 MiB (ulimit -v)"), ("-d 130000", "limited to 126 MiB (ulimit -d)")])
    func memory(limit: String, warning: String) async throws {
        let end = try await BuiltProgram.run(
            ["-c", "ulimit \(limit); exec \"$0\" --version", BuiltProgram.path], in: TemporaryFolder(),
            program: "/bin/sh")
        #expect(end.status == 0 && end.error.contains(warning), "\(end.error)")
    }

    @Test(
        "a small stack is enough", .enabled(if: BuiltProgram.exists), arguments: ["-s 64", "-S -s 64", "-s 96"])
    func stack(limit: String) async throws {
        let resource = Resource.file(seed: 5, size: 3_000_000)
        try await FaultServer.run(["/f": resource]) { server in
            let folder = try TemporaryFolder()
            let end = try await BuiltProgram.run(
                ["-c", "ulimit \(limit); exec \"$0\" get -q \"$1\"", BuiltProgram.path, server.url("/f")],
                in: folder, program: "/bin/sh")
            #expect(end.status == 0 && folder.bytes("f") == resource.allBytes, "\(end.status) \(end.error)")
        }
    }

    @Test("closed standard descriptors are no other files, and fail as before")
    func closedDescriptors() async {
        await #expect(processExitsWith: .success) {
            for descriptor in Int32(0)...2 { close(descriptor) }
            StandardDescriptors.reserve()
            // Unsafe: the path is a literal, and one byte is read or written.
            guard unsafe open("/dev/null", O_RDONLY) > 2 else { exit(3) }
            var byte: UInt8 = 0
            guard unsafe read(0, &byte, 1) == -1, errno == EBADF else { exit(4) }
            guard unsafe write(1, &byte, 1) == -1, errno == EBADF else { exit(5) }
            guard unsafe write(2, &byte, 1) == -1, errno == EBADF else { exit(6) }
            exit(0)
        }
    }

    /// Its size is unknown, so only the write beyond the limit shows it.
    @Test(
        "a file that becomes larger than its limit is an error that keeps the data",
        .enabled(if: BuiltProgram.exists), arguments: [("get -q", 18), ("aria2c --no-conf", 17)] as [(String, Int32)])
    func fileSizeLimit(command: String, status: Int32) async throws {
        let resource = Resource.file(seed: 5, size: 3_000_000).script(.chunked())
        try await FaultServer.run(["/f": resource]) { server in
            let folder = try TemporaryFolder()
            let end = try await BuiltProgram.run(
                ["-c", "ulimit -f 1000; exec \"$0\" \(command) \"$1\"", BuiltProgram.path, server.url("/f")],
                in: folder,
                program: "/bin/sh")
            #expect(end.status == status, "\(end.status) \(end.error)")
            #expect(folder.bytes("f.part")?.isEmpty == false && folder.bytes("f") == nil)
        }
    }
}
