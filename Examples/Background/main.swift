// Downloads that go on without the program: `swift run Background [URL ...]`.
//
// It hands the URLs to the user's daemon, which is started where none is at work, and waits until all is done. End it with Ctrl-C or
// kill -9 whenever you like: the downloads go on. Run it again, with or without URLs, and it tells what was finished meanwhile, each once.
//
// Files go to the current folder, which has to lie below one of the daemon's: HAUL_ROOTS=$HOME when it is started, or its configuration.

import Foundation
import Haul
import HaulClient

/// Says something at once: what is still in a buffer when the program is killed would never be seen.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

do {
    // Whose downloads these are: other programs neither see nor touch them.
    let manager = try await DownloadManager(.background(identifier: "org.example.background"))

    // One that was handed over before the program was killed is not added twice.
    let folder = FileManager.default.currentDirectoryPath
    let specs = CommandLine.arguments.dropFirst().map { DownloadSpec(url: $0, destination: .folder(path: folder)) }
    for (spec, result) in zip(specs, try await manager.add(contentsOf: specs)) {
        if case .failure(let error) = result { say("\(spec.url): \(error)") }
    }
    say("handed over")

    // Returns when nothing runs and nothing will by itself.
    await manager.idle()
    // An event counts as seen when the next one is asked for: one whose handling was cut short by a kill is told again.
    for await event in manager.missedEvents {
        switch event.kind {
        case .finished(let facts): say("finished \(facts.path)")
        case .failed(let error): say("failed \(event.download): \(error)")
        case .snapshot, .progress, .added, .started, .waiting, .notice, .paused, .resumed, .sourceReplaced, .cancelled,
            .removed, .changed:
            break
        }
    }
    // Ends the connection, and no download.
    await manager.close()
} catch {
    FileHandle.standardError.write(Data("failed (\(error.code)): \(error)\n".utf8))
    exit(1)
}
