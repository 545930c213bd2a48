import HaulCore
import HaulLibC
import HaulProcesses
import HaulServer

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes what the service manager needs to start the daemon: systemd units or, on macOS, a property list for launchd.
struct DaemonInstall {
    private let printsOnly: Bool
    private let environment: [String: String]

    /// Makes the installation.
    init(printsOnly: Bool, environment: [String: String] = ProcessEnvironment.all) {
        (self.printsOnly, self.environment) = (printsOnly, environment)
    }

    /// The files, the folder that they belong in, and the command that follows.
    private struct Plan {
        var files: [(name: String, text: String)]
        var folder: String
        var next: String
    }

    private var plan: Plan {
        let home = environment["HOME"] ?? ""
        #if os(macOS)
            let agent = LaunchAgent(program: ProgramPath.own, log: DaemonPaths(environment: environment).log)
            let folder = home + "/Library/LaunchAgents"
            return Plan(
                files: [(LaunchAgent.fileName, agent.text)], folder: folder,
                next: "launchctl bootstrap gui/\(getuid()) \(folder)/\(LaunchAgent.fileName)")
        #else
            let config = environment["XDG_CONFIG_HOME"] ?? home + "/.config"
            return Plan(
                files: SystemdUnits(program: ProgramPath.own).files, folder: config + "/systemd/user",
                next: "systemctl --user daemon-reload && systemctl --user enable --now haul.socket haul.service")
        #endif
    }

    /// Installs the files, and returns the exit code.
    func run() -> Int32 {
        let plan = plan
        if printsOnly {
            for (name, text) in plan.files { DaemonOutput.say("# \(name)"); OutputFile.standardOutput.write(text) }
            return ExitCode.complete.rawValue
        }
        do {
            try FileManager.default.createDirectory(atPath: plan.folder, withIntermediateDirectories: true)
            for (name, text) in plan.files {
                try Data(text.utf8).write(to: URL(filePath: "\(plan.folder)/\(name)"), options: .atomic)
                DaemonOutput.say("written: \(plan.folder)/\(name)")
            }
        } catch {
            return DaemonOutput.fail(
                DownloadError(.fileFailed, "can't write to \(plan.folder)", cause: "\(error)"))
        }
        DaemonOutput.say("next: \(plan.next)")
        return ExitCode.complete.rawValue
    }
}
