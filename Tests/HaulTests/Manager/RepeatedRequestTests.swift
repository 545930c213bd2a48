import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Requests that must not be sent twice", .usesSockets, .timeLimit(.minutes(10)))
struct RepeatedRequestTests {
    private static let file = Resource.file(seed: 73, size: 3_000_000)
    private static let slow = file.script { $0.number == 1 ? .normal.throttle(1_000_000) : .normal }

    private static func post(_ trial: ManagerTrial) -> DownloadSpec {
        var spec = trial.spec("/f")
        spec.method = "POST"
        return spec
    }

    /// Ends the program while the response arrives, and launches it again.
    private static func interrupt(_ trial: ManagerTrial, kill: Bool, _ spec: DownloadSpec) async throws -> Download {
        let id = try await trial.manager.add(spec)
        try await id.until(bytes: 100_000)
        if kill { await trial.kill() } else { await trial.close() }
        let manager = try await trial.launch()
        return try #require(try await manager.download(id.id))
    }

    @Test("interrupted by the end of the program, it fails, and is sent again if asked for", arguments: [true, false])
    func relaunch(kill: Bool) async throws {
        try await ManagerTrial.run(["/f": Self.slow]) { trial in
            let download = try await Self.interrupt(trial, kill: kill, Self.post(trial))
            let error = await #expect(throws: DownloadError.self) { try await download.finished() }
            #expect(error?.detail == .notRepeated)
            #expect(trial.server.requests("/f").count == 1)
            try await download.retry()
            _ = try await download.finished()
            #expect(trial.server.requests("/f").count == 2)
            #expect(trial.bytes("f") == Self.file.allBytes)
        }
    }

    @Test("it continues by itself if it may be repeated", arguments: [true, false])
    func allowed(kill: Bool) async throws {
        try await ManagerTrial.run(["/f": Self.slow]) { trial in
            var spec = Self.post(trial)
            spec.repeatsRequest = true
            _ = try await Self.interrupt(trial, kill: kill, spec).finished()
            #expect(trial.bytes("f") == Self.file.allBytes)
        }
    }

    @Test("its source is not replaced while it is running, unless it may be repeated", arguments: [false, true])
    func replaced(mayRepeat: Bool) async throws {
        try await ManagerTrial.run(["/f": Self.slow]) { trial in
            var spec = Self.post(trial)
            spec.repeatsRequest = mayRepeat
            let download = try await trial.manager.add(spec)
            try await download.until(bytes: 100_000)
            var code: DownloadError.Code?
            do throws(DownloadError) {
                try await download.replaceSource(headers: [DownloadSpec.Header(name: "A", value: "b")])
            } catch {
                code = error.code
            }
            #expect(code == (mayRepeat ? nil : .notPossible))
            _ = try await download.finished()
            #expect(trial.server.requests("/f").count == (mayRepeat ? 2 : 1))
            #expect(trial.bytes("f") == Self.file.allBytes)
        }
    }

    @Test("one that was never sent before the end of the program is sent")
    func unsent() async throws {
        try await ManagerTrial.run(["/f": Self.file]) { trial in
            var spec = Self.post(trial)
            spec.startsPaused = true
            let id = try await trial.manager.add(spec).id
            await trial.kill()
            let download = try #require(try await trial.launch().download(id))
            try await download.resume()
            _ = try await download.finished()
            #expect(trial.server.requests("/f").count == 1)
        }
    }
}
