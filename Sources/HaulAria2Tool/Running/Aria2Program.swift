import Foundation
import Haul
import HaulAria2
import HaulCLI
import HaulCore
import HaulLibC
import HaulServer

/// The program `aria2c`, from its arguments to its exit code.
package enum Aria2Program {
    /// Returns true if a program with this path is meant to be aria2c, according to its last component.
    package static func isName(_ path: String) -> Bool {
        path.split(separator: "/").last == "aria2c"
    }

    /// Runs the program, and returns its exit code (aria2(1), EXIT STATUS).
    ///
    /// - Parameter arguments: The arguments after the program's name.
    package static func run(arguments: [String]) async -> Int32 {
        do throws(Aria2Arguments.Failure) {
            let read = try Aria2Arguments(arguments)
            if read.options.isSet("version") { return response(Aria2Texts.version) }
            if read.options["help"] != nil { return response(Aria2Texts.help) }
            let settings = try settings(read.options)
            var options = settings.options
            options.take(read.options)
            let plan = Aria2Plan(
                options: options, uris: read.uris, folder: FileManager.default.currentDirectoryPath,
                warnings: settings.warnings)
            if let problem = plan.problem {
                complain(problem)
                return Aria2ErrorCode.unknown.rawValue
            }
            return try await run(plan)
        } catch {
            for message in [error.message] + error.others { complain(message) }
            OutputFile.standardError.write("Try 'aria2c --help' for a list of options.\n")
            return Aria2ErrorCode.option.rawValue
        }
    }

    private static func run(_ plan: Aria2Plan) async throws(Aria2Arguments.Failure) -> Int32 {
        let environment = ProcessEnvironment.all
        if plan.options["rlimit-nofile"] != nil {
            DescriptorLimit.raise(to: UInt64(plan.options.number("rlimit-nofile")))
        }
        do throws(DownloadError) {
            // With fewer, a download would wait for a file that nobody closes.
            guard FreeFiles.suffice(for: FreeFiles.forList) else {
                throw DownloadError(
                    .tooManyFiles,
                    "too many open files: \(FreeFiles.forList) more are needed: raise the limit (ulimit -n)")
            }
            let configuration = try plan.configuration(environment: environment)
            try TaskLimit.check(.downloads(configuration.settings.limit))
            let manager = try await DownloadManager(configuration)
            let netrc = environment["HOME"].map { "\($0)/.netrc" }
                .flatMap { FileManager.default.isReadableFile(atPath: $0) ? $0 : nil }
            let code = try await Aria2Run(plan, manager, netrc: netrc).run()
            await manager.close()
            return code.rawValue
        } catch {
            complain(error.description)
            return Aria2ErrorCode(error).rawValue
        }
    }

    /// Returns the settings of the configuration file; a file named explicitly must exist.
    private static func settings(_ given: Aria2Options) throws(Aria2Arguments.Failure) -> Aria2Settings {
        guard !given.isSet("no-conf") else { return Aria2Settings() }
        let home = TerminalEnvironment.process.value("HOME")
        let configurations = TerminalEnvironment.process.value("XDG_CONFIG_HOME")
        let named = given["conf-path"]
        for path in named.map({ [$0] }) ?? Aria2Settings.paths(home: home, configurations: configurations) {
            guard let data = FileManager.default.contents(atPath: path) else { continue }
            return try Aria2Settings(parsing: String(decoding: data, as: UTF8.self), file: path)
        }
        guard let named else { return Aria2Settings() }
        throw Aria2Arguments.Failure(message: "The configuration file \(named) can't be read.")
    }

    private static func response(_ text: String) -> Int32 {
        OutputFile.standardOutput.write(text)
        return Aria2ErrorCode.none.rawValue
    }

    private static func complain(_ message: String) {
        OutputFile.standardError.write("aria2c: \(TerminalText.printable(URLRedaction.inText(message)))\n")
    }
}
