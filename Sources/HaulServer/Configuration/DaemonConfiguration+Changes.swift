import Haul
package import HaulCore
import HaulProcesses

extension DaemonConfiguration {
    /// Returns the settings that differ from another configuration and take effect only after a restart.
    package func needsRestart(for next: DaemonConfiguration) -> [ConfigurationKey] {
        let fixed: [(ConfigurationKey, Bool)] = [
            (.port, port == next.port), (.address, address == next.address),
            (.allowRemote, allowsRemote == next.allowsRemote), (.hosts, hosts == next.hosts),
            (.notifications, notifies == next.notifies), (.webhook, webhook == next.webhook),
            (.rpcAllowOriginAll, allowsRPCFromAllOrigins == next.allowsRPCFromAllOrigins),
            (.caCertificate, caCertificatePath == next.caCertificatePath), (.proxy, proxy == next.proxy),
            (.noProxy, noProxy == next.noProxy), (.logLevel, logLevel == next.logLevel),
            (.logFormat, logFormat == next.logFormat), (.stateFolder, paths.stateFolder == next.paths.stateFolder),
            (.socket, paths.socket == next.paths.socket),
        ]
        return fixed.filter { !$0.1 }.map(\.0)
    }

    /// Checks that the programs of all hooks exist.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` that names the first one that does not.
    package func checkHooks(environment: [String: String]) throws(DownloadError) {
        for hook in settings.hooks {
            let name = hook.arguments.first ?? ""
            let path = ProgramPath.find(name, searchPath: environment["PATH"])
            guard let path, ProgramPath.isExecutableFile(path) else {
                throw DownloadError(
                    .invalidRequest,
                    "the hook command \"\(name)\" does not exist or can't be run: correct the setting hooks")
            }
        }
    }
}
