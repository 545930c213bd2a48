import Foundation
import Haul
import HaulAria2
import HaulCLI
import HaulCore
import Synchronization

/// Adds the downloads of the command line and its lists.
struct Aria2Intake {
    private let run: Aria2Run

    init(_ run: Aria2Run) { self.run = run }

    /// Adds all downloads; those that cannot be added are reported, and the rest is added.
    func addAll() async {
        let mine = Aria2Roots(folder: run.plan.folder, roots: nil)
        do throws(Aria2Failure) {
            let downloads = try run.plan.downloads()
            for uris in downloads { await add(uris, downloads.count == 1 ? run.plan.own : Aria2Options(), mine) }
        } catch {
            report(error)
        }
        if let path = run.plan.options["metalink-file"] { await addMetalink(path, mine) }
        if let path = run.plan.options["input-file"] { await addList(path, mine) }
        let count = (try? await run.manager.count()) ?? 0
        if count > 0 { run.console.log(.notice, "Downloading \(count) item(s)") }
    }

    private func add(_ uris: [String], _ given: Aria2Options, _ roots: Aria2Roots) async {
        // A Metalink file may be named instead of a URI (aria2(1), SYNOPSIS).
        if let path = uris.first, uris.count == 1, !path.contains("://"), Aria2Run.isMetalink(path) {
            return await addMetalink(path, roots)
        }
        do throws(Aria2Failure) { try await addSources(uris, given, roots) } catch { report(error) }
    }

    private func addSources(_ uris: [String], _ given: Aria2Options, _ roots: Aria2Roots) async throws(Aria2Failure) {
        // Otherwise the message would be that of an invalid URL.
        if !uris.isEmpty, uris.allSatisfy(Self.isTorrent) { throw .torrent }
        let gid = try await run.rpc.add(uris, given, in: roots)
        if let uri = uris.first, Aria2Run.isMetalink(uri) { run.expectMetalink(gid, given) }
    }

    /// Returns true if a text is the name of an existing torrent file.
    private static func isTorrent(_ path: String) -> Bool {
        path.lowercased().hasSuffix(".torrent") && FileManager.default.fileExists(atPath: path)
    }

    private func addMetalink(_ path: String, _ roots: Aria2Roots) async {
        do throws(Aria2Failure) {
            let bytes = try contents(of: path, "The Metalink file", limit: Metalink.maxBytes)
            _ = try await run.rpc.add(metalink: bytes, Aria2Options(), in: roots)
        } catch {
            report(error, .metalink)
        }
    }

    private func addList(_ path: String, _ roots: Aria2Roots) async {
        let bytes: [UInt8]
        do throws(Aria2Failure) {
            bytes = try contents(of: path, "The input file", limit: Aria2List.maxBytes)
        } catch {
            if path != "-", FileManager.default.fileExists(atPath: path) { run.sessions.keepUnread(path) }
            return report(error)
        }
        let entries = Aria2List(parsing: bytes).entries
        run.sessions.keep(entries)
        for entry in entries {
            do throws(Aria2Failure) {
                let given = try Aria2Options(entry.options, .download)
                try await addSources(entry.uris, given, roots)
                run.sessions.didAdd(entry)
            } catch {
                report(.refused("\(path), line \(entry.line): \(error.message)", detail: error.detail), .option)
            }
        }
    }

    /// Returns the contents of a file or a pipe, or of standard input for `-`.
    private func contents(of path: String, _ what: String, limit: Int) throws(Aria2Failure) -> [UInt8] {
        do throws(DownloadError) {
            return try run.input.reading([path]) { () throws(DownloadError) in
                try SmallFile(path, what, limit: limit).bytes
            }
        } catch {
            throw .refused("\(error.message).", detail: error.cause)
        }
    }

    private func report(_ failure: Aria2Failure, _ code: Aria2ErrorCode = .unknown) {
        run.console.log(.error, failure.message + (failure.detail.map { " \($0)" } ?? ""))
        run.refused.withLock { $0 = failure.exitCode ?? code }
    }
}
