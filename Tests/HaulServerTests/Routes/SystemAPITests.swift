import Foundation
import Haul
import HaulClient
import HaulCore
import HaulServer
import HaulTestTraits
import HaulTesting
import HaulWire
import Testing

@Suite("The API's settings and figures", .usesSockets)
struct SystemAPITests {
    @Test("Settings are changed one by one, kept over a restart, and taken back")
    func settings() async throws {
        try await ServedTrial.run { trial in
            let client = trial.client
            let standard = try await client.settings()
            #expect(standard.jobs == 3 && standard.rateLimit == nil)
            var patch = SettingsPatch()
            patch.jobs = .some(7)
            patch.rateSchedule = .some("22:00-06:30 unlimited, 12:00-13:00 500K, else 2M")
            let changed = try await client.change(patch)
            #expect(changed.jobs == 7 && changed.order == standard.order)
            #expect(changed.rateSchedule == "22:00-06:30 unlimited, 12:00-13:00 500K, else 2M")
            #expect(try await trial.manager.currentSettings.limit == 7)
            #expect(
                try RateSchedule(parsing: changed.rateSchedule ?? "")
                    == (try await trial.manager.currentSettings.rateSchedule))
            var unlimited = SettingsPatch()
            unlimited.jobs = SettingsPatch.Change.none
            #expect(try await client.change(unlimited).jobs == nil)
            let kept = SettingsKeeper(path: trial.folder.path + "/settings.json").patch
            #expect(
                kept.jobs == SettingsPatch.Change<Int>.none && kept.rateSchedule == patch.rateSchedule)
            #expect(try await client.resetSettings() == standard)
            #expect(SettingsKeeper(path: trial.folder.path + "/settings.json").patch == SettingsPatch())
        }
    }

    @Test("Two settings that are changed at once are both changed")
    func changesAtOnce() async throws {
        try await ServedTrial.run { trial in
            for number in 1...30 {
                var (jobs, rate) = (SettingsPatch(), SettingsPatch())
                (jobs.jobs, rate.rateLimit) = (.some(.some(number)), .some(.some(Int64(1000 * number))))
                async let first = trial.client.change(jobs)
                async let second = trial.client.change(rate)
                _ = try await (first, second)
                let settings = try await trial.client.settings()
                try #require(settings.jobs == number && settings.rateLimit == Int64(1000 * number))
            }
        }
    }

    @Test("A settings patch that can't be stored changes nothing")
    func unstored() async throws {
        try await ServedTrial.run { trial in
            try FileManager.default.createDirectory(
                atPath: trial.folder.path + "/settings.json", withIntermediateDirectories: false)
            let before = try await trial.client.settings()
            var patch = SettingsPatch()
            patch.jobs = .some(7)
            await #expect(throws: DownloadError.self) { try await trial.client.change(patch) }
            #expect(try await trial.client.settings() == before)
        }
    }

    @Test("A configuration that is read again does not undo what was changed over the API")
    func reload() async throws {
        try await ServedTrial.run { trial in
            var patch = SettingsPatch()
            patch.rateLimit = .some(1000)
            _ = try await trial.client.change(patch)
            var configured = ManagerSettings()
            (configured.limit, configured.rateLimit) = (9, 5)
            try await trial.state.take(configured)
            let settings = try await trial.client.settings()
            #expect(settings.jobs == 9 && settings.rateLimit == 1000)
            #expect(try await trial.client.resetSettings().rateLimit == 5)
        }
    }

    @Test("The list is copied into the state folder")
    func backup() async throws {
        try await ServedTrial.run { trial in
            _ = try await trial.manager.add(
                DownloadSpec(url: "http://h/1", destination: .file(path: trial.folder.path + "/f")))
            let backup = try await trial.client.backUp()
            let path = try #require(backup.path)
            #expect(path.hasSuffix("/" + backup.name) && backup.name.contains(".backup-20"))
            #expect(try Data(contentsOf: URL(filePath: path)).starts(with: "SQLite format 3".utf8))
        }
    }

    @Test("The health is 503 with the reason while the list can't be written, and 200 again by itself")
    func health() async throws {
        try await ServedTrial.run { trial in
            func health() async throws -> String {
                try await trial.raw("GET /health HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n")
            }
            let well = try await health()
            #expect(RawClient.status(well) == 200 && well.contains(#""status":"ok""#))
            var request = trial.request("/f")
            request.startsPaused = true
            let id = try await trial.client.add(request).id
            trial.manager.refuseRecords(true)
            let error = await #expect(throws: DownloadError.self) { try await trial.client.remove(id) }
            #expect(error?.code == .catalogueFailed)
            let failing = try await health()
            #expect(RawClient.status(failing) == 503)
            for part in [#""status":"failing""#, #""code":"catalogueFailed""#, "can't write the list of downloads"] {
                #expect(failing.contains(part), "\(failing)")
            }
            // Over TCP, and without a token, no path is shown.
            let path = try #require(trial.manager.listFailure?.message)
            #expect(path.contains("is the disk full?") && !failing.contains("is the disk full?"), "\(failing)")
            trial.manager.refuseRecords(false)
            while trial.manager.listFailure != nil { await Task.yield() }
            #expect(RawClient.status(try await health()) == 200)
        }
    }

    @Test(
        "It is ready while the list can be written and every root exists, and says why if not; its health is another matter"
    )
    func readiness() async throws {
        try await ServedTrial.run { trial in
            func response(_ path: String) async throws -> String {
                try await trial.raw("GET \(path) HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n")
            }
            let ready = try await response("/ready")
            #expect(RawClient.status(ready) == 200 && ready.contains(#""status":"ready""#), "\(ready)")
            try FileManager.default.moveItem(atPath: trial.root, toPath: trial.root + "-away")
            let missing = try await response("/ready")
            #expect(RawClient.status(missing) == 503 && missing.contains(#""code":"fileFailed""#), "\(missing)")
            #expect(missing.contains("root 1 does not exist") && !missing.contains(trial.root))
            #expect(RawClient.status(try await response("/health")) == 200)
            try FileManager.default.moveItem(atPath: trial.root + "-away", toPath: trial.root)
            var request = trial.request("/f")
            request.startsPaused = true
            let id = try await trial.client.add(request).id
            trial.manager.refuseRecords(true)
            await #expect(throws: DownloadError.self) { try await trial.client.remove(id) }
            let failing = try await response("/ready")
            #expect(RawClient.status(failing) == 503 && failing.contains(#""code":"catalogueFailed""#), "\(failing)")
            #expect(!failing.contains(trial.folder.path))
            trial.manager.refuseRecords(false)
            while trial.manager.listFailure != nil { await Task.yield() }
            #expect(RawClient.status(try await response("/ready")) == 200)
        }
    }

    @Test("A settings patch that can't be right changes nothing")
    func badSettings() async throws {
        try await ServedTrial.run { trial in
            var patches = [SettingsPatch(), SettingsPatch(), SettingsPatch(), SettingsPatch()]
            patches[0].jobs = .some(-1)
            patches[1].jobsPerHost = .some(0)
            patches[2].rateLimit = .some(-1)
            patches[3].rateSchedule = .some("always")
            for patch in patches {
                var patch = patch
                patch.order = .lifo
                let asked = patch
                await #expect(throws: DownloadError.self) { try await trial.client.change(asked) }
            }
            let settings = try await trial.client.settings()
            #expect(settings.order == .fifo)
        }
    }

    @Test("Garbled kept settings do not count, and a word says so")
    func garbled() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/settings.json"
        for text in ["{", "[]", #"{"x":1}"#, ""] {
            try Data(text.utf8).write(to: URL(filePath: path))
            let keeper = SettingsKeeper(path: path)
            #expect(keeper.patch == SettingsPatch() && keeper.notice != nil)
        }
    }

    @Test("Settings that can't be read are reported, and kept beside the next change")
    func unreadable() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/settings.json"
        #expect(SettingsKeeper(path: path).notice == nil)
        // A folder can be opened, but not read: unlike permissions, this applies to root as well.
        try FileManager.default.createDirectory(atPath: path + "/x", withIntermediateDirectories: true)
        let keeper = SettingsKeeper(path: path)
        #expect(keeper.patch == SettingsPatch() && keeper.notice?.contains(path + ".bad") == true)
        var patch = SettingsPatch()
        patch.jobs = .some(.some(7))
        try keeper.add(patch)
        patch.order = .lifo
        try keeper.add(patch)
        #expect(FileManager.default.fileExists(atPath: path + ".bad/x"))
        #expect(SettingsKeeper(path: path).patch == patch && SettingsKeeper(path: path).notice == nil)
    }

    @Test("Summary, info, health and metrics tell of the list")
    func figures() async throws {
        let file = Resource.file(seed: 72, size: 300_000).script { _ in .stall(after: 100_000) }
        try await ServedTrial.run(["/a": file]) { trial in
            let id = try await trial.client.add(trial.request("/a")).id
            try await trial.until(id, .running)
            var summary = try await trial.client.summary()
            while summary.bytesLeft != 200_000 { summary = try await trial.client.summary() }
            #expect(summary.counts["running"] == 1 && summary.counts["failed"] == 0)
            let info = try await trial.client.info()
            #expect(info.version == "1.2.3" && info.pid == Int(getpid()) && info.roots == trial.state.rules.roots.paths)
            #expect(info.privateAddresses && info.capabilities.contains("persistent"))
            #expect(try await !trial.remote.info().privateAddresses)
            let metrics = try await trial.raw(
                "GET /metrics HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer \(trial.token.text)\r\nConnection: close\r\n\r\n"
            )
            #expect(metrics.contains("text/plain; version=0.0.4"))
            let start = try #require(metrics.range(of: "\r\n\r\n")).upperBound
            let families = try MetricFamily.read(String(metrics[start...]))
            #expect(families["haul_downloads"]?.value("state=\"running\"") == 1)
            #expect(families["haul_build_info"]?.value("version=\"1.2.3\"") == 1)
            // What a run that goes on has received counts already.
            #expect(families["haul_received_bytes_total"]?.value() == 100_000)
            #expect(families["haul_root_free_bytes"]?.samples.map(\.labels) == ["root=\"\(trial.root)\""])
            let health = try await trial.raw("GET /health HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n")
            #expect(RawClient.status(health) == 200 && health.contains(#""status":"ok""#))
        }
    }
}
