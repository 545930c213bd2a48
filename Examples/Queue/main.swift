// A queue that survives Ctrl-C, `kill -9` and a reboot: `swift run Queue [URL ...]`.
//
// The program adds the URLs to the list in queue.sqlite, runs two downloads at a time, and exits when all are done. End
// it with Ctrl-C or kill -9 and run it again, with or without URLs: the list and its order are unchanged, and each
// download resumes.

import Foundation
import Haul

do {
    // Only one process at a time can use a list; a second one gets an error with the code `catalogueBusy`.
    var configuration = ManagerConfiguration(storage: .file(path: "queue.sqlite"))
    configuration.settings.limit = 2
    let manager = try await DownloadManager(configuration)
    // A damaged list is set aside, never silently emptied.
    if let notice = manager.openingNotice { print(notice) }

    let left = try await manager.count(.state(.waiting, .running, .paused))
    print(left == 0 ? "the list has nothing to do" : "\(left) downloads go on from the last time")

    // Each URL has its own result. A URL that is already in the list is not added twice: its download continues.
    let known = manager.lastEventNumber
    let specs = CommandLine.arguments.dropFirst().map { DownloadSpec(url: $0, destination: .folder(path: ".")) }
    for (spec, result) in zip(specs, try await manager.add(contentsOf: specs)) {
        if case .failure(let error) = result { print("\(spec.url): \(error)") }
    }

    // State events are numbered without gaps and recorded before they are delivered, so none after `known` is missed.
    let reporting = Task {
        for try await event in manager.events(since: known) {
            switch event.kind {
            case .added: print("\(event.download) is in the queue")
            case .started(let facts): print("\(event.download) begins at byte \(facts.resumedBytes) of \(facts.path)")
            case .waiting(let reason, _): print("\(event.download) waits: \(reason)")
            case .finished(let facts): print("\(event.download) is finished: \(facts.path)")
            case .failed(let error): print("\(event.download) has failed: \(error)")
            // Later versions may add events.
            default: break
            }
        }
    }

    // Returns when no download runs or will run by itself.
    await manager.idle()
    // Also ends all subscriptions, once they have read the remaining events.
    await manager.close()
    try await reporting.value
} catch let error as DownloadError {
    print("failed (\(error.code)): \(error)")
    exit(1)
}
