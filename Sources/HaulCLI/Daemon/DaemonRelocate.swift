import ArgumentParser
import Haul
import HaulCore
import HaulLibC
import HaulServer
import HaulWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `haul daemon relocate`: another folder for listed downloads.
struct DaemonRelocateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relocate", abstract: "Change the folder of listed downloads, after their files were moved.",
        discussion: """
            Stop the daemon, move the files, run this command, and change the setting roots.
            The list is changed at once or not at all; files are neither moved nor deleted.

            Partial files that were moved with mv on one file system are resumed. Copies are
            resumed only with --copied, which is safe if no daemon was running during the
            copy. With the same folder twice, only the partial files are prepared: for files
            that were restored from a backup.
            """)

    @Argument(help: ArgumentHelp("Folder until now.", valueName: "old"), completion: .directory)
    var old: String

    @Argument(help: ArgumentHelp("Folder from now on; it must exist.", valueName: "new"), completion: .directory)
    var new: String

    @Flag(help: "The files were copied while no daemon was running: resume the copied partial files.")
    var copied = false

    @Flag(help: "Show what would change, and change nothing.")
    var dryRun = false

    @OptionGroup var options: DaemonEndpointOptions

    @Flag(help: OptionHelp.json)
    var json = false

    func run() async throws {
        let relocate = DaemonRelocate(
            DaemonSetup(options), from: old, to: new, copied: copied, isPreview: dryRun, json: json)
        throw ArgumentParser.ExitCode(await relocate.run())
    }
}

/// Changes the folder of listed downloads.
struct DaemonRelocate {
    private let setup: DaemonSetup
    private let old: String
    private let new: String
    private let copied: Bool
    private let isPreview: Bool
    private let json: Bool

    /// Makes the relocation.
    init(_ setup: DaemonSetup, from old: String, to new: String, copied: Bool, isPreview: Bool, json: Bool) {
        (self.setup, self.old, self.new) = (setup, old, new)
        (self.copied, self.isPreview, self.json) = (copied, isPreview, json)
    }

    /// Relocates and reports, and returns the exit code.
    func run() async -> Int32 {
        do throws(DownloadError) {
            let configuration = try setup.working()
            let (from, to) = try folders()
            let paths = configuration.paths
            // Unsafe: the path is copied by the call.
            guard unsafe access(paths.catalogue, F_OK) == 0 else {
                throw DownloadError(.invalidRequest, "there is no list of downloads at \(paths.catalogue)")
            }
            if let pid = DaemonLock.holder(path: paths.lock) {
                throw DownloadError(
                    .catalogueBusy, "a daemon is running (process \(pid)): stop it first with haul daemon stop")
            }
            let lock = try DaemonLock(path: paths.lock)
            let relocation = ListRelocation(from: from, to: to, adoptsCopies: copied, isPreview: isPreview)
            let report = try relocation.run(listAt: paths.catalogue)
            withExtendedLifetime(lock) {}
            if json {
                OutputFile.standardOutput.write(try WireJSON.line(Result(report)))
            } else {
                say(report, to, roots: roots(configuration))
            }
            return (report.broken.isEmpty ? ExitCode.complete : .mixed).rawValue
        } catch {
            return DaemonOutput.fail(error)
        }
    }

    /// Returns both folders as absolute paths; links are resolved as far as the folders exist, as in the list.
    private func folders() throws(DownloadError) -> (from: String, to: String) {
        let here = FileManager.default.currentDirectoryPath
        func path(_ text: String) -> (String, exists: Bool) {
            let whole = text.hasPrefix("/") ? text : here + "/" + text
            // Unsafe: realpath allocates the result, which is copied and freed here.
            guard let found = unsafe realpath(whole, nil) else {
                let trimmed = whole.trimmingSuffix("/")
                return (trimmed.isEmpty ? "/" : trimmed, false)
            }
            defer { unsafe free(found) }
            return (unsafe String(cString: found), true)
        }
        let (from, to) = (path(old), path(new))
        var facts = stat()
        // Unsafe: the path is copied by the call, and the kernel fills a value that outlives it.
        guard to.exists, unsafe stat(to.0, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR else {
            throw DownloadError(.invalidRequest, "\(to.0) is not a folder: move the files there first")
        }
        guard from.0 != to.0 || copied else {
            throw DownloadError(.invalidRequest, "both folders are \(to.0); --copied prepares restored partial files")
        }
        return (from.0, to.0)
    }

    /// Returns the roots that the next start has: the options of the last one still apply.
    private func roots(_ configuration: DaemonConfiguration) -> [String] {
        // Only for a warning: the next start reports a record that can't be read.
        let record = try? DaemonRecord(path: configuration.paths.record)
        return (try? setup.continuing(record).configuration().roots) ?? configuration.roots
    }

    private func say(_ report: ListRelocation.Report, _ new: String, roots: [String]) {
        func count(_ number: Int, _ word: String) -> String { "\(number) \(word)\(number == 1 ? "" : "s")" }
        let verb = isPreview ? "would be relocated" : "relocated"
        DaemonOutput.say("\(count(report.moved, "download")) \(verb)")
        if report.ready > 0 { DaemonOutput.say("\(count(report.ready, "partial file")) to resume") }
        if report.adopted > 0 { DaemonOutput.say("\(count(report.adopted, "copied partial file")) to resume") }
        var warnings = report.broken
        if report.copied > 0 {
            warnings.append(
                "\(count(report.copied, "partial file")) found as a copy: these downloads start over. If no daemon was "
                    + "running during the copy, resume them with haul daemon relocate --copied '\(new)' '\(new)'")
        }
        if !roots.contains(where: { new == $0 || new.hasPrefix($0 == "/" ? "/" : $0 + "/") }) {
            warnings.append(
                "\(new) is outside the daemon's roots (\(roots.joined(separator: ", "))): add it to the setting roots")
        }
        DaemonOutput.warn(warnings)
    }

    private struct Result: Encodable {
        let moved: Int
        let ready: Int
        let adopted: Int
        let copied: Int
        let broken: [String]

        init(_ report: ListRelocation.Report) {
            (moved, ready, adopted) = (report.moved, report.ready, report.adopted)
            (copied, broken) = (report.copied, report.broken)
        }
    }
}

extension String {
    /// Returns the text without any of a character at its end.
    fileprivate func trimmingSuffix(_ character: Character) -> String {
        var text = self[...]
        while text.last == character { text.removeLast() }
        return String(text)
    }
}
