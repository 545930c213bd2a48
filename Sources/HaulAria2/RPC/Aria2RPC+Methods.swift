import Haul
import HaulCore

extension Aria2RPC {
    /// Executes a method.
    func perform(_ method: Aria2Method, _ parameters: Aria2Parameters) async throws(Aria2Failure) -> JSON {
        switch method {
        case .addUri: try await addUri(parameters)
        case .addTorrent: throw .torrent
        case .addMetalink: try await addMetalink(parameters)
        case .remove, .forceRemove: try await remove(parameters)
        case .pause, .forcePause: try await pause(parameters)
        case .unpause: try await unpause(parameters)
        case .pauseAll, .forcePauseAll: try await pauseAll()
        case .unpauseAll: try await unpauseAll()
        case .changePosition: try await changePosition(parameters)
        case .changeUri: try await changeUri(parameters)
        case .removeDownloadResult: try await removeDownloadResult(parameters)
        case .purgeDownloadResult: try await purgeDownloadResult()
        case .tellStatus: try await tellStatus(parameters)
        case .tellActive: try await tellActive(parameters)
        case .tellWaiting: try await report(.state(.waiting, .paused), parameters)
        case .tellStopped: try await report(.state(.finished, .failed, .cancelled), parameters)
        case .getUris: Aria2Status(try await snapshot(parameters)).uris
        case .getFiles: Aria2Status(try await snapshot(parameters)).files
        case .getPeers: try await getPeers(parameters)
        case .getServers: try await getServers(parameters)
        case .getGlobalStat: try await getGlobalStat()
        case .getOption: try await getOption(parameters)
        case .changeOption: try await changeOption(parameters)
        case .getGlobalOption: try await getGlobalOption()
        case .changeGlobalOption: try await changeGlobalOption(parameters)
        case .getVersion: Self.version
        case .getSessionInfo: .object(["sessionId": .string(sessionID)])
        case .saveSession: try await saveSession()
        case .shutdown: try shutdown(atOnce: false)
        case .forceShutdown: try shutdown(atOnce: true)
        case .listMethods: .array(Aria2Method.allCases.map { .string($0.rawValue) })
        case .listNotifications: .array(Aria2Notification.listed.map { .string($0) })
        case .multicall: throw .refused("Recursive system.multicall forbidden.")
        }
    }

    static let done = JSON.string("OK")

    /// The version of aria2 whose interface this is: clients use it to find out which methods they may call.
    package static let aria2Version = "1.37.0"
    /// The supported features of aria2.
    package static let features = [
        "Async DNS", "Firefox3 Cookie", "GZip", "HTTPS", "Message Digest", "Metalink", "SFTP",
    ]

    private static let version = JSON.object([
        "version": .string(aria2Version), "enabledFeatures": .array(features.map { .string($0) }),
    ])

    private func saveSession() async throws(Aria2Failure) -> JSON {
        if let save = configuration.saveSession {
            guard let path = options["save-session"] else { throw .refused("Filename is not given.") }
            try await save(path)
        }
        return Self.done
    }

    private func shutdown(atOnce: Bool) throws(Aria2Failure) -> JSON {
        guard let end = configuration.shutdown else { throw .refused("This program can't be shut down over RPC.") }
        let delay = configuration.shutdownDelay
        // The only unstructured task: it waits until its caller has received the response and everything else has
        // ended.
        Task {
            try? await Task.sleep(for: delay)
            end(atOnce)
        }
        return Self.done
    }
}

extension Aria2RPC {
    /// Performs an operation of the manager, and converts its error.
    func reported<Value>(
        _ body: () async throws(DownloadError) -> Value
    ) async throws(Aria2Failure) -> Value {
        do throws(DownloadError) { return try await body() } catch { throw Aria2Failure(error) }
    }

    /// Performs an operation of the manager, and reports an unsuitable state of the download with aria2's message.
    func reported(
        else message: String, _ body: () async throws(DownloadError) -> Void
    ) async throws(Aria2Failure) {
        do throws(DownloadError) { try await body() } catch {
            throw error.code == .notPossible ? .refused(message) : Aria2Failure(error)
        }
    }

    /// Returns the download whose GID is the first parameter.
    func snapshot(_ parameters: Aria2Parameters) async throws(Aria2Failure) -> DownloadSnapshot {
        try await snapshot(try parameters.text(0))
    }

    /// Returns the download with a GID, or with one that has this prefix.
    func snapshot(_ text: String) async throws(Aria2Failure) -> DownloadSnapshot {
        guard GID.isPrefix(text) else {
            throw .refused("Invalid GID \(TerminalText.printable(String(text.prefix(40))))")
        }
        if text.utf8.count == 16 {
            guard let gid = GID(text), let found = try await find(gid) else {
                throw .refused("GID \(text) is not found")
            }
            return found
        }
        return try await find(beginning: text.lowercased())
    }

    /// Returns the download with a GID.
    func find(_ gid: GID) async throws(Aria2Failure) -> DownloadSnapshot? {
        try await reported { () throws(DownloadError) in
            if let download = try await manager.download(key: gid.key) { return try await download.snapshot }
            guard gid.id.rawValue > 0, let download = try await manager.download(gid.id) else { return nil }
            let snapshot = try await download.snapshot
            return GID(of: snapshot) == gid ? snapshot : nil
        }
    }

    private func find(beginning text: String) async throws(Aria2Failure) -> DownloadSnapshot {
        var found: DownloadSnapshot?
        var last: DownloadID?
        while true {
            let after = last
            let page = try await reported { () throws(DownloadError) in
                try await manager.snapshots(after: after, limit: 1000)
            }
            for snapshot in page where GID(of: snapshot).description.hasPrefix(text) {
                guard found == nil else { throw .refused("GID \(text) is not unique") }
                found = snapshot
            }
            guard let end = page.last else { break }
            last = end.id
        }
        guard let found else { throw .refused("GID \(text) is not found") }
        return found
    }
}
