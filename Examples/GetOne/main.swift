// Downloads one file: `swift run GetOne URL [FOLDER]`.
//
// Interrupt it partway through and run it again: it resumes. Until the file is complete, its bytes and their
// description are in NAME.part and NAME.part.haul in the same folder.

import Foundation
import Haul

let arguments = CommandLine.arguments.dropFirst()
guard let url = arguments.first else {
    print("usage: GetOne URL [FOLDER]")
    exit(2)
}
let folder = arguments.dropFirst().first ?? "."

do {
    // A manager keeps a list of downloads. For a single download, a list in memory is enough.
    let manager = try await DownloadManager(ManagerConfiguration(storage: .inMemory))

    // The download: a source, a destination, and any options that differ from the defaults.
    var spec = DownloadSpec(url: url, destination: .folder(path: folder))
    spec.onConflict = .rename

    // `add` returns at once with a handle; the download runs by itself.
    let download = try await manager.add(spec)

    // Any number of loops may watch a download. Leaving a loop, or cancelling its task, does not affect the download.
    let watching = Task {
        for try await event in download.events {
            switch event.kind {
            case .started(let facts): print("fetching \(facts.path), \(facts.totalBytes.map { "\($0)" } ?? "?") bytes")
            case .waiting(let reason, _): print("waiting: \(reason)")
            case .notice(let notice): print("notice: \(notice)")
            // Later versions may add events.
            default: break
            }
        }
    }

    // Returns when the file is complete under its final name, and throws if the download fails.
    defer { watching.cancel() }
    let facts = try await download.finished()
    print("\(facts.path): \(facts.totalBytes) bytes in \(Int(facts.seconds * 1000)) ms")

    // Saves everything and ends; afterwards the manager cannot be used any more.
    await manager.close()
} catch let error as DownloadError {
    // Every error is a `DownloadError` (or `CancellationError`, if the task is cancelled): a code for programs, a message for users, and the underlying cause.
    print("failed (\(error.code)): \(error)")
    exit(1)
}
