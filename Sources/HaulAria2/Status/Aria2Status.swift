package import HaulCore

/// The status of a download as reported by `aria2.tellStatus`: an object whose numbers are strings.
package struct Aria2Status: Sendable {
    private let snapshot: DownloadSnapshot
    private let state: Aria2State

    private let segments: [DownloadSegment]
    private let relations: Aria2Relations

    /// Creates the status of a download.
    ///
    /// - Parameters:
    ///   - segments: The segments of a running download.
    ///   - relations: The downloads that follow Metalinks.
    package init(
        _ snapshot: DownloadSnapshot, segments: [DownloadSegment] = [], relations: Aria2Relations = Aria2Relations()
    ) {
        self.snapshot = snapshot
        self.segments = segments
        self.relations = relations
        state = Aria2State(snapshot.state)
    }

    /// The size of the pieces that clients display; Haul's own segments vary.
    package static let pieceLength: Int64 = 1 << 20

    /// Returns the object.
    ///
    /// - Parameter keys: The requested keys; empty for all.
    package func json(keys: Set<String>) -> JSON {
        var members: [JSON.Member] = []
        for key in Self.keys where keys.isEmpty || keys.contains(key) {
            if let value = value(key) { members.append(JSON.Member(key, value)) }
        }
        return .object(members)
    }

    private static let keys = [
        "gid", "status", "totalLength", "completedLength", "uploadLength", "bitfield", "downloadSpeed", "uploadSpeed",
        "pieceLength", "numPieces", "connections", "errorCode", "errorMessage", "followedBy", "following",
        "dir", "files",
    ]

    private func value(_ key: String) -> JSON? {
        switch key {
        case "gid": .string(GID(of: snapshot).description)
        case "status": .string(state.rawValue)
        case "totalLength": number(total)
        case "completedLength": number(completed)
        case "bitfield": bitfield
        case "downloadSpeed": number(speed)
        case "uploadLength", "uploadSpeed": number(0)
        case "pieceLength": number(Self.pieceLength)
        case "numPieces": number(pieces)
        case "connections": number(state == .active ? Int64(snapshot.progress.connections) : 0)
        case "errorCode": errorCode.map { number(Int64($0.rawValue)) }
        case "errorMessage": errorMessage
        case "followedBy": followedBy
        case "following": relations.leader(of: GID(of: snapshot)).map { JSON.string($0.description) }
        case "dir": .string(folder)
        case "files": files
        default: nil
        }
    }

    private func number(_ number: Int64) -> JSON { .string(String(number)) }

    private var total: Int64 {
        if case .finished(let facts) = snapshot.state { return facts.totalBytes }
        return snapshot.progress.totalBytes ?? snapshot.spec.expectedBytes ?? 0
    }

    private var completed: Int64 {
        if case .finished(let facts) = snapshot.state { return facts.totalBytes }
        return max(0, snapshot.progress.fileBytes)
    }

    private var speed: Int64 { state == .active ? Int64(exactly: snapshot.progress.speed.rounded()) ?? 0 : 0 }
    private var pieces: Int64 { total <= 0 ? 0 : (total - 1) / Self.pieceLength + 1 }

    /// The existing pieces: all of a complete file, those covered by the segments of a running one; nil if they are
    /// unknown.
    private var bitfield: JSON? {
        guard pieces > 0, pieces <= Self.maxDrawn else { return nil }
        guard state != .complete else { return .string(Self.digits(Int(pieces), [0..<total], total)) }
        guard !segments.isEmpty else { return nil }
        return .string(Self.digits(Int(pieces), segments.map { $0.start..<max($0.start, $0.position) }, total))
    }

    /// Returns hexadecimal digits whose highest bit is the first piece; a piece counts if all of its bytes exist.
    ///
    /// - Parameter ranges: The existing bytes, in order and without overlap.
    package static func digits(_ pieces: Int, _ ranges: [Range<Int64>], _ total: Int64 = .max) -> String {
        var bytes = [UInt8](repeating: 0, count: (pieces + 7) / 8)
        var run: Range<Int64> = 0..<0
        func mark() {
            let first = (run.lowerBound + pieceLength - 1) / pieceLength
            // The last piece may be shorter.
            let end = run.upperBound >= total ? Int64(pieces) : run.upperBound / pieceLength
            for piece in first..<max(first, min(end, Int64(pieces))) {
                bytes[Int(piece / 8)] |= 0x80 >> UInt8(piece % 8)
            }
        }
        for range in ranges where !range.isEmpty {
            if range.lowerBound == run.upperBound {
                run = run.lowerBound..<range.upperBound
            } else {
                mark()
                run = range
            }
        }
        mark()
        return bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// The maximum number of pieces; for half a MiB of digits a file would have 2 TiB.
    private static let maxDrawn: Int64 = 1 << 21

    private var errorCode: Aria2ErrorCode? {
        if let failure = snapshot.state.failure { return Aria2ErrorCode(failure, of: snapshot.spec) }
        switch state {
        case .complete: return Aria2ErrorCode.none
        case .removed: return .removed
        case .active, .waiting, .paused, .error: return nil
        }
    }

    private var followedBy: JSON? {
        let followers = relations.followers(of: GID(of: snapshot))
        return followers.isEmpty ? nil : JSON.array(followers.map { JSON.string($0.description) })
    }

    private var errorMessage: JSON? {
        if let failure = snapshot.state.failure { return .string(failure.description) }
        return state.isStopped ? .string("") : nil
    }
}

extension Aria2Status {
    /// The present or future folder of the file.
    package var folder: String {
        if let path = snapshot.path, let slash = path.lastIndex(of: "/") {
            return slash == path.startIndex ? "/" : String(path[..<slash])
        }
        switch snapshot.spec.destination {
        case .file(let path):
            guard let slash = path.lastIndex(of: "/") else { return "." }
            return slash == path.startIndex ? "/" : String(path[..<slash])
        case .folder(let path), .hashed(let path): return path
        }
    }

    /// The present or future path of the file; empty if its name depends on the server.
    package var path: String {
        if let path = snapshot.path { return path }
        if let path = snapshot.spec.destination.filePath { return path }
        return ""
    }

    /// The file list as reported by `aria2.getFiles`; every download has exactly one file.
    package var files: JSON {
        .array([
            .object([
                "index": .string("1"), "path": .string(path), "length": number(total),
                "completedLength": number(completed), "selected": .string("true"), "uris": uris,
            ])
        ])
    }

    /// The sources as reported by `aria2.getUris`.
    ///
    /// Those of an active download are in use, except for those that Haul may have excluded; those of a download that
    /// has fetched nothing yet are waiting.
    package var uris: JSON {
        let isUntouched = [.waiting, .paused].contains(state) && completed == 0
        let first = JSON.object([
            "uri": .string(snapshot.spec.url), "status": .string(isUntouched ? "waiting" : "used"),
        ])
        let status = state == .active ? "used" : "waiting"
        return .array(
            [first]
                + snapshot.spec.mirrors.map { .object(["uri": .string($0.url), "status": .string(status)]) })
    }

    /// The servers in use as reported by `aria2.getServers`.
    package var servers: JSON {
        let server = JSON.object([
            "uri": .string(snapshot.spec.url), "currentUri": .string(snapshot.spec.url), "downloadSpeed": number(speed),
        ])
        return .array([.object(["index": .string("1"), "servers": .array([server])])])
    }
}
