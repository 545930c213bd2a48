// A list in the terminal that follows its downloads: `swift run List [URL ...]`.
//
// The program adds the URLs to the list in list.sqlite, saves the files in the folder `downloads`, and draws the list
// whenever something visible has changed, at most ten times a second. It exits when no download is running or will start
// by itself. The same `DownloadList` is made for a view of SwiftUI.

import Foundation
import Haul
import HaulObservation
import Observation

/// The lines of the list, one for each download, and one for all of them.
@MainActor
func lines(of list: DownloadList, _ summary: DownloadSummary) -> [String] {
    let rows = list.downloads.map { row in
        let state =
            switch row.state {
            case .running: "\(Int(row.progress.speed / 1024)) KiB/s"
            case .waiting(let reason): "waits: \(reason)"
            case .paused: "paused"
            case .finished(let facts): "\(facts.totalBytes) bytes"
            case .failed(let error): "failed: \(error.message)"
            case .cancelled: "cancelled"
            }
        let percent = row.fraction.map { "\(Int($0 * 100)) %" } ?? "?"
        return "\(row.title): \(percent), \(state)"
    }
    return rows + ["\(summary[.finished]) finished, \(summary[.running]) running, \(summary[.waiting]) waiting"]
}

/// The number of lines that were drawn last.
var drawn = 0

/// Draws lines in place of the last ones.
@MainActor
func draw(_ lines: [String]) {
    // Moves to the first of the old lines, and clears the screen below.
    if drawn > 0 { print("\u{1B}[\(drawn)A\u{1B}[J", terminator: "") }
    print(lines.joined(separator: "\n"))
    drawn = lines.count
}

do {
    var configuration = ManagerConfiguration(storage: .file(path: "list.sqlite"))
    configuration.folder = "downloads"
    let manager = try await DownloadManager(configuration)
    for url in CommandLine.arguments.dropFirst() { try await manager.add(url) }

    let list = DownloadList(manager, limit: 20)
    let following = Task { try await list.run(refreshInterval: .milliseconds(100)) }
    let drawing = Task { @MainActor in
        for await lines in Observations({ lines(of: list, list.summary) }) { draw(lines) }
    }
    // The rows are read first.
    for await isLoaded in Observations({ list.isLoaded }) where isLoaded { break }
    // Also returns if what is left waits for something from you: a new link, or the retry of a failed download.
    await manager.idle()
    let summary = try await manager.summary()
    // The list ends with the manager, and has the last states then.
    await manager.close()
    _ = await following.result
    drawing.cancel()
    draw(lines(of: list, summary))
} catch {
    print("failed (\(error.code)): \(error)")
    exit(1)
}
