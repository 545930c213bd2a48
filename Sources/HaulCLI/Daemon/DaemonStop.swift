import Haul
import HaulClient
import HaulCore
import HaulLibC
import HaulServer
import HaulWire

/// Stops the daemon to which the other commands connect.
struct DaemonStop {
    private let setup: DaemonSetup

    /// Takes the options.
    init(_ options: DaemonEndpointOptions) { setup = DaemonSetup(options) }

    /// Stops the daemon, and returns the exit code.
    func run() async -> Int32 {
        do throws(DownloadError) {
            let paths = try setup.working().paths
            guard let (pid, found) = try await Self.find(paths) else {
                DaemonOutput.say("no daemon is running at \(paths.socket)")
                return ExitCode.complete.rawValue
            }
            guard DaemonLock.isOpen(path: found.lock, in: pid) != false else {
                if DaemonLock.holder(path: found.lock) == nil, !SocketClaim.answers(paths.socket) {
                    DaemonOutput.say("the daemon has exited")
                    return ExitCode.complete.rawValue
                }
                throw DownloadError(
                    .notPossible,
                    "can't stop the daemon: it is not the process \(pid) of this system, but in another container, or on "
                        + "another machine; stop it there")
            }
            guard kill(pid, SIGTERM) == 0 else {
                let advice =
                    errno == EPERM
                    ? ", which belongs to another user: stop its service, as with systemctl stop haul" : ""
                throw DownloadError(.notPossible, "can't stop the daemon (process \(pid))\(advice)")
            }
            // The daemon exits within three seconds and releases its lock.
            let end = ContinuousClock.now + .seconds(10)
            while DaemonLock.holder(path: found.lock) == pid {
                guard ContinuousClock.now < end else {
                    throw DownloadError(.timedOut, "the daemon (process \(pid)) has not exited")
                }
                try? await Task.sleep(for: .milliseconds(20))
            }
            guard !DownloadManager.mayLackChanges(listAt: found.catalogue) else {
                throw DownloadError(
                    .catalogueFailed,
                    "the daemon has exited, but the last changes of its list may not be on the disk: see its log")
            }
            DaemonOutput.say("the daemon has exited")
            return ExitCode.complete.rawValue
        } catch {
            return DaemonOutput.fail(error)
        }
    }

    /// Returns the daemon behind the socket, to which all other commands connect, with the paths of its files.
    ///
    /// - Throws: `DownloadError` with code `notPossible` if the daemon in the state folder listens at another socket.
    static func find(_ paths: DaemonPaths) async throws(DownloadError) -> (pid: Int32, paths: DaemonPaths)? {
        // If the record can't be read, the daemon that listens at the socket is asked.
        let (holder, record) = (DaemonLock.holder(path: paths.lock), try? DaemonRecord(path: paths.record))
        // A daemon that is starting, or hangs, does not respond.
        if let holder, record.map({ $0.socket == paths.socket }) ?? !SocketClaim.answers(paths.socket) {
            return (holder, paths)
        }
        let client = DaemonClient(forCommandAt: paths.socket)
        var info: InfoMessage?
        var failure: DownloadError?
        do throws(DownloadError) { info = try await client.info() } catch { failure = error }
        await client.close()
        // Without its process number, it can't be stopped.
        if let failure, failure.code == .timedOut { throw failure }
        if let info, let pid = Int32(exactly: info.pid) {
            var found = paths
            found.stateFolder = info.stateFolder ?? paths.stateFolder
            return (pid, found)
        }
        guard let holder, let record else { return nil }
        throw DownloadError(
            .notPossible,
            "no daemon is running at \(paths.socket), but one (process \(holder)) at \(record.socket): "
                + "stop it with haul daemon stop --socket \(record.socket)")
    }
}
