import Foundation
import HaulCore
import HaulTesting
import Testing

@testable import HaulCLI

@Suite("Bars and job control") struct JobControlReporterTests {
    private func scene() -> Scene {
        Scene(JobControlReporter(style: Style(unicode: false, colour: false), expected: 1))
    }

    @Test("in the foreground it draws, in the background it writes lines") func switches() throws {
        var scene = scene()
        let job = try Scene.job(1, "http://h/a")
        scene.take(.began(job))
        scene.take(.event(job, Scene.started("a", 100)))
        scene.reporter.setForeground(true)
        #expect(scene.output().standardError.contains("\u{1B}[K"))
        scene.reporter.setForeground(false)
        #expect(scene.output(at: 1).standardError.isEmpty)
        scene.take(.event(job, Scene.progress(50, of: 100)), at: 20)
        #expect(scene.output().standardError == "a  50 %, 50 B of 100 B, 1.0 KiB/s, 1s left, 2 connections\n")
        scene.reporter.setForeground(true)
        let drawn = scene.output().standardError
        #expect(drawn.contains("50 %") && !drawn.contains("\u{1B}[1A"))
        scene.reporter.setForeground(false)
        scene.take(.event(job, Scene.finished("a", 100)))
        let end = "a  100 B in 2.0 s, 50 B/s, no checksum available\n"
        #expect(scene.output().standardError == end)
        scene.reporter.setForeground(true)
        #expect(!scene.output().standardError.contains("100 B"))
    }

    @Test("started in the background it never draws") func background() throws {
        var scene = scene()
        scene.reporter.setForeground(false)
        let job = try Scene.job(1, "http://h/a")
        scene.take(.event(job, Scene.started("a", 100)))
        #expect(scene.output().standardError == "a  started, 100 B\n")
        scene.take(.event(job, .failed(DownloadError(.noSpace, "full"))))
        #expect(scene.output().standardError == "haul: a: full\n")
    }

    /// Runs the program on a terminal of its own, as the foreground job or as another one.
    private static let script = """
        import os, pty, sys
        master, slave = pty.openpty()
        if os.fork() == 0:
            os.setsid()
            import fcntl, termios
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
            os.dup2(slave, 2)
            child = os.fork()
            if child == 0:
                if sys.argv[1] == "back": os.setpgid(0, 0)
                os.environ["TERM"] = "xterm"
                os.execv(sys.argv[2], sys.argv[2:])
            os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        os.close(slave)
        text = b""
        while True:
            try: more = os.read(master, 65536)
            except OSError: break
            if not more: break
            text += more
        os.write(1, text)
        sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))
        """

    @Test("the program in the background of a terminal", .enabled(if: BuiltProgram.exists), .timeLimit(.minutes(5)))
    func program() async throws {
        let content = Resource.file(seed: 5, size: 400_000)
        try await FaultServer.run(["/f": content], throttle: 400_000) { server in
            for (place, draws) in [("front", true), ("back", false)] {
                let folder = try TemporaryFolder()
                let end = try await BuiltProgram.run(
                    ["python3", "-c", Self.script, place, BuiltProgram.path, "get", server.url("/f")], in: folder,
                    program: "/usr/bin/env")
                #expect(end.status == 0, "\(end.error)")
                #expect(end.output.contains("\u{1B}[") == draws, "\(place): \(end.output)")
                #expect(end.output.contains("started") != draws)
                #expect(folder.bytes("f") == content.allBytes)
            }
        }
    }
}
