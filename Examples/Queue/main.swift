// A queue that survives everything: `swift run Queue [URL ...]`.
//
// It adds the URLs to the list in queue.sqlite, two at work at a time, and goes on until all is done. End it with Ctrl-C or with kill -9
// and run it again, with or without URLs: the same list is there, in the same order, and each download goes on where it was.

import Foundation
import Haul

do {
    // One process at a time owns a list; a second one is told so by an error with the code `catalogueBusy`.
    var configuration = ManagerConfiguration(storage: .file(path: "queue.sqlite"))
    configuration.settings.limit = 2
    let manager = try await DownloadManager(configuration)
    // A damaged list would have been set aside, never silently emptied.
    if let notice = manager.openingNotice { print(notice) }

    let left = try await manager.count(.state(.waiting, .running, .paused))
    print(left == 0 ? "the list has nothing to do" : "\(left) downloads go on from the last time")

    // Each URL has a result of its own. One that is in the list already is not added twice: it goes on.
    let known = manager.lastEventNumber
    let specs = CommandLine.arguments.dropFirst().map { DownloadSpec(url: $0, destination: .folder(path: ".")) }
    for (spec, result) in zip(specs, try await manager.add(contentsOf: specs)) {
        if case .failure(let error) = result { print("\(spec.url): \(error)") }
    }

    // State events are numbered without gaps and recorded before they are told, so none is missed from `known` on.
    let reporting = Task {
        for await event in manager.events(since: known) {
            switch event.kind {
            case .added: print("\(event.download) is in the queue")
            case .started(let facts): print("\(event.download) begins at byte \(facts.resumedBytes) of \(facts.path)")
            case .waiting(let reason, _): print("\(event.download) waits: \(reason)")
            case .finished(let facts): print("\(event.download) is finished: \(facts.path)")
            case .failed(let error): print("\(event.download) has failed: \(error)")
            case .snapshot, .progress, .notice, .paused, .resumed, .sourceReplaced, .cancelled, .removed, .changed:
                break
            }
        }
    }

    // Returns when nothing runs and nothing will by itself.
    await manager.idle()
    // Ends all subscriptions, too, once they have read what there is.
    await manager.close()
    await reporting.value
} catch {
    print("failed (\(error.code)): \(error)")
    exit(1)
}
