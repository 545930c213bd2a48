// Downloads one file: `swift run GetOne URL [FOLDER]`.
//
// Interrupt it half-way and run it again: it goes on where it was, because the bytes and what is known about them stand beside the file
// as NAME.part and NAME.part.haul until the file is complete.

import Foundation
import Haul

let arguments = CommandLine.arguments.dropFirst()
guard let url = arguments.first else {
    print("usage: GetOne URL [FOLDER]")
    exit(2)
}
let folder = arguments.dropFirst().first ?? "."

do {
    // A manager keeps a list of downloads. This one is needed for one download only, so its list is in memory.
    let manager = try await DownloadManager(ManagerConfiguration(storage: .inMemory))

    // What is wanted: a source, a place, and any option that is not as it should be by default.
    var spec = DownloadSpec(url: url, destination: .folder(path: folder))
    spec.onConflict = .rename

    // `add` returns at once with a handle; the work goes on by itself.
    let download = try await manager.add(spec)

    // Any number of loops may watch a download. Leaving the loop, or cancelling its task, changes nothing about the download.
    let watching = Task {
        for await event in download.events {
            switch event.kind {
            case .started(let facts): print("fetching \(facts.path), \(facts.totalBytes.map { "\($0)" } ?? "?") bytes")
            case .waiting(let reason, _): print("waiting: \(reason)")
            case .notice(let notice): print("notice: \(notice)")
            case .snapshot, .progress, .added, .paused, .resumed, .sourceReplaced, .finished, .failed, .cancelled,
                .removed, .changed:
                break
            }
        }
    }

    // Returns when the file stands complete under its final name, and throws when it never will.
    let facts = try await download.finished()
    watching.cancel()
    print("\(facts.path): \(facts.totalBytes) bytes in \(Int(facts.seconds * 1000)) ms")

    // Saves what is to be saved and ends everything; afterwards the manager can't be used any more.
    await manager.close()
} catch {
    // Every error is a `DownloadError`: a code for programs, a sentence for people, and the cause beneath.
    print("failed (\(error.code)): \(error)")
    exit(1)
}
