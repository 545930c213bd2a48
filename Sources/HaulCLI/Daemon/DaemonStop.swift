import HaulCore
import HaulServer

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Has the daemon leave.
struct DaemonStop {
    private let setup: DaemonSetup

    /// Takes the options.
    init(_ options: DaemonPlaceOptions) { setup = DaemonSetup(options) }

    /// Returns the number to exit with.
    func run() async -> Int32 {
        do throws(DownloadError) {
            let lock = try setup.working().paths.lock
            guard let pid = DaemonLock.holder(path: lock) else {
                DaemonOutput.say("no daemon is at work")
                return ExitCode.complete.rawValue
            }
            guard kill(pid, SIGTERM) == 0 else {
                throw DownloadError(.notPossible, "the daemon (process \(pid)) can't be told to leave")
            }
            // It leaves within three seconds, its lock with it.
            let end = ContinuousClock.now + .seconds(10)
            while DaemonLock.holder(path: lock) == pid {
                guard ContinuousClock.now < end else {
                    throw DownloadError(.timedOut, "the daemon (process \(pid)) has not left")
                }
                try? await Task.sleep(for: .milliseconds(20))
            }
            DaemonOutput.say("the daemon has saved everything and left")
            return ExitCode.complete.rawValue
        } catch {
            return DaemonOutput.fail(error)
        }
    }
}
