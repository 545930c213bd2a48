// Downloads that continue without the program: `swift run Background [URL ...]`.
//
// The program hands the URLs to the user's daemon, which is started if it is not running, and waits until all downloads
// are done. End the program with Ctrl-C or kill -9 at any time: the downloads continue. Run it again, with or without
// URLs, and it reports each download that finished in the meantime once.
//
// Files are saved in the current folder, which must be within one of the daemon's folders: set HAUL_ROOTS=$HOME when
// the daemon starts, or use its configuration.

import Foundation
import HaulClient

/// Prints a line immediately: text in a buffer would be lost if the program is killed.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

do {
    // The identifier separates the downloads from those of other programs.
    let manager = try await DownloadManager(.background(identifier: "org.example.background"))

    // A URL that was already handed over before the program was killed is not added twice.
    let folder = FileManager.default.currentDirectoryPath
    let specs = CommandLine.arguments.dropFirst().map { DownloadSpec(url: $0, destination: .folder(path: folder)) }
    for (spec, result) in zip(specs, try await manager.add(contentsOf: specs)) {
        if case .failure(let error) = result { say("\(spec.url): \(error)") }
    }
    say("handed over")

    // Returns when no download runs or will run by itself.
    await manager.idle()
    // An event counts as handled when the next one is requested. If the program is killed before that, the event is
    // delivered again.
    for try await event in manager.missedEvents {
        switch event.kind {
        case .finished(let facts): say("finished \(facts.path)")
        case .failed(let error): say("failed \(event.download): \(error)")
        // Later versions may add events.
        default: break
        }
    }
    // Closes the connection, but ends no download.
    await manager.close()
} catch {
    FileHandle.standardError.write(Data("failed: \(error)\n".utf8))
    exit(1)
}
