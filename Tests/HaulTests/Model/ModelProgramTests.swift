import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("A program in the background whose daemon ends", .usesSockets, .timeLimit(.minutes(5)))
struct ModelProgramTests {
    @Test("a subscription to a download that is begun while no daemon runs waits for the next one")
    func subscription() async throws {
        try await ManagerTrial.run(["/a": .file(seed: 7, size: 1000)], { $0.settings.limit = 0 }) { trial in
            try await ModelProgram.run(trial) { program in
                let manager = try program.manager
                let download = try await manager.add(trial.spec("/a"))
                await program.stopServing()
                await trial.close()
                let states = Task {
                    var states: [DownloadState.Kind] = []
                    for try await event in download.events {
                        if case .snapshot(let snapshot) = event.kind { states.append(snapshot.state.kind) }
                        if case .finished = event.kind { states.append(.finished) }
                        if states.contains(.finished) { break }
                    }
                    return states
                }
                for _ in 0..<1000 { await Task.yield() }
                await #expect(throws: DownloadError.self) { try await download.snapshot }
                try await trial.launch()
                try await program.serve(trial)
                try await manager.startNow(download.id)
                #expect(try await states.value.last == .finished)
            }
        }
    }
}
