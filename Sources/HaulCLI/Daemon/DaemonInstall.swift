import HaulCore
import HaulServer

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes the systemd units.
struct DaemonInstall {
    private let printsOnly: Bool
    private let environment: [String: String]

    /// Makes the installation.
    init(printsOnly: Bool, environment: [String: String] = ProcessInfo.processInfo.environment) {
        (self.printsOnly, self.environment) = (printsOnly, environment)
    }

    /// Installs the units, and returns the exit code.
    func run() -> Int32 {
        let units = SystemdUnits(program: DaemonStart.ownPath)
        if printsOnly {
            for (name, text) in units.files { DaemonOutput.say("# \(name)"); OutputFile.standardOutput.write(text) }
            return ExitCode.complete.rawValue
        }
        let config = environment["XDG_CONFIG_HOME"] ?? (environment["HOME"] ?? "") + "/.config"
        let folder = config + "/systemd/user"
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for (name, text) in units.files {
                try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)"), options: .atomic)
                DaemonOutput.say("written: \(folder)/\(name)")
            }
        } catch {
            return DaemonOutput.fail(
                DownloadError(.fileFailed, "can't write the units to \(folder)", cause: "\(error)"))
        }
        DaemonOutput.say(
            "next: systemctl --user daemon-reload && systemctl --user enable --now haul.socket haul.service")
        return ExitCode.complete.rawValue
    }
}
