// A list in the terminal that follows its downloads: `swift run List [URL ...]`.
//
// The program adds the URLs to the list in list.sqlite, saves the files in the folder `downloads`, and draws the list
// whenever something visible has changed, at most ten times a second. It exits when all downloads are done. The same
// `DownloadList` is made for a view of SwiftUI.

import Foundation
import Haul
import HaulObservation
import Observation

/// The lines of the list, one for each download, and one for all of them.
@MainActor
func lines(of list: DownloadList) -> [String] {
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
    return rows + ["\(list.summary[.finished]) finished, \(list.summary[.running]) running"]
}

do {
    var configuration = ManagerConfiguration(storage: .file(path: "list.sqlite"))
    configuration.folder = "downloads"
    let manager = try await DownloadManager(configuration)
    for url in CommandLine.arguments.dropFirst() { try await manager.add(url) }

    let list = DownloadList(manager, limit: 20)
    let following = Task { try await list.run(refreshInterval: .milliseconds(100)) }
    var drawn = 0
    for await lines in Observations({ lines(of: list) }) {
        // Moves to the first of the old lines, and clears the screen below.
        if drawn > 0 { print("\u{1B}[\(drawn)A\u{1B}[J", terminator: "") }
        print(lines.joined(separator: "\n"))
        drawn = lines.count
        if list.isLoaded, list.summary[.running] + list.summary[.waiting] == 0 { break }
    }
    following.cancel()
    await manager.close()
} catch {
    print("failed (\(error.code)): \(error)")
    exit(1)
}
