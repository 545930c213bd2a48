// Several downloads in a terminal, each with a line that is updated: `swift run Progress URL ...`.

import Foundation
import Haul

/// Returns one line: a bar, the speed, and the time left, as far as they are known.
func line(_ name: String, _ progress: TransferProgress) -> String {
    let filled = Int((progress.fraction ?? 0) * 30)
    let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: 30 - filled)
    let speed = String(format: "%6.1f MB/s", progress.speed / 1_000_000)
    let left = progress.secondsLeft.map { String(format: "%5.0f s left", $0) } ?? ""
    return "[\(bar)] \(speed) \(left)  \(name)"
}

do {
    var configuration = ManagerConfiguration(storage: .inMemory)
    // The maximum is ten times a second; a terminal needs less.
    configuration.settings.progressInterval = .milliseconds(200)
    let manager = try await DownloadManager(configuration)
    let known = manager.lastEventNumber

    var lines: [DownloadID: String] = [:]
    let specs = CommandLine.arguments.dropFirst().map { DownloadSpec(url: $0, destination: .folder(path: ".")) }
    for (spec, result) in zip(specs, try await manager.add(contentsOf: specs)) {
        switch result {
        case .success(let download): lines[download.id] = "waiting  \(spec.url)"
        case .failure(let error): print("\(spec.url): \(error)")
        }
    }

    // When all downloads are done, the manager is closed, which ends the loop below.
    let closing = Task {
        await manager.idle()
        await manager.close()
    }

    var names: [DownloadID: String] = [:]
    var drawn = 0
    for try await event in manager.events(since: known) {
        switch event.kind {
        case .started(let facts): names[event.download] = URL(fileURLWithPath: facts.path).lastPathComponent
        case .progress(let progress): lines[event.download] = line(names[event.download] ?? "", progress)
        case .waiting(let reason, _): lines[event.download] = "waiting: \(reason)"
        case .finished(let facts): lines[event.download] = "finished  \(facts.path)"
        case .failed(let error): lines[event.download] = "failed  \(error)"
        // Later versions may add events.
        default: continue
        }
        // Moves up to the first line; then writes each line, cleared first, and cut so that it never wraps.
        if drawn > 0 { print("\u{1B}[\(drawn)A", terminator: "") }
        for id in lines.keys.sorted() { print("\u{1B}[2K\((lines[id] ?? "").prefix(79))") }
        drawn = lines.count
    }
    await closing.value
} catch let error as DownloadError {
    print("failed (\(error.code)): \(error)")
    exit(1)
}
