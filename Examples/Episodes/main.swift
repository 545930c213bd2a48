// A list of episodes that know whether they are downloaded: `swift run Episodes [get|play|drop NUMBER]`.
//
// The episodes are the lines of episodes.txt, one URL each. Without a command it lists them.

import Foundation
import Haul

// To be downloadable, a model only needs a spec with the URL and the destination.
struct Episode: Downloadable {
    let url: String

    // The file is named by a hash of the URL, so two episodes of the same name never share a file.
    var downloadSpec: DownloadSpec { DownloadSpec(url: url, destination: .hashed(folder: "episodes")) }
}

do {
    try FileManager.default.createDirectory(atPath: "episodes", withIntermediateDirectories: true)
    let text = (try? String(contentsOfFile: "episodes.txt", encoding: .utf8)) ?? ""
    let lines = text.split(whereSeparator: \.isNewline)
    let episodes = lines.map { Episode(url: String($0)) }

    // The list of downloads is in a file, so that the state of the episodes is known at the next launch.
    var configuration = ManagerConfiguration(storage: .file(path: "episodes.sqlite"))
    configuration.resumesAtLaunch = false
    let manager = try await DownloadManager(configuration)

    let arguments = Array(CommandLine.arguments.dropFirst())
    let number = arguments.count == 2 ? Int(arguments[1]) ?? 0 : 0
    let chosen = (1...max(1, episodes.count)).contains(number) && !episodes.isEmpty ? episodes[number - 1] : nil

    switch (arguments.first, chosen) {
    case (nil, _) where !episodes.isEmpty:
        for (index, episode) in episodes.enumerated() {
            // True only if the record says finished and the file exists.
            let mark = await episode.isDownloaded(in: manager) ? "downloaded" : "-"
            print("\(index + 1). \(episode.url)  \(mark)")
        }
    case ("get", let episode?):
        // A repeated request for the same episode continues with the existing download.
        let facts = try await episode.download(with: manager).finished()
        print("downloaded \(facts.totalBytes) bytes")
    case ("play", let episode?):
        if let path = await episode.downloadedPath(in: manager) {
            print("plays \(path)")
        } else {
            print("streams \(episode.url)")
        }
    case ("drop", let episode?):
        // Stops the download if it is running, and deletes the record, the partial file and the file.
        try await episode.undownload(from: manager)
        print("gone")
    default:
        print("usage: Episodes [get|play|drop NUMBER], with a URL a line in episodes.txt")
    }
    await manager.close()
} catch {
    print("failed: \(error)")
    exit(1)
}
