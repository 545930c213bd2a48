#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What a download waits for (guarantee: every wait has a reason).
public enum WaitReason: Sendable, Hashable, Codable {
    /// Its turn: as many downloads are at work as the manager allows.
    case turn(limit: Int)
    /// Its turn at its host: as many downloads of the host are at work as the manager allows.
    case host(String, limit: Int)
    /// A place at its host: other downloads have all the connections that the host is known to allow.
    case connections(host: String, limit: Int)
    /// Nothing: its turn has come, and it is about to start.
    case start
    /// The time before which it must not start.
    case notBefore(Date)
    /// Room on the disk: so many bytes are missing.
    case space(bytes: Int64)
    /// File descriptors: the process or the system has too many files open; fewer downloads run until there are enough.
    case openFiles
    /// A new source: the link has expired; the bytes are kept. See `DownloadManager.replaceSource`.
    case linkExpired(DownloadError)
    /// Headers or a password that are never stored: after a relaunch they have to be given again with `replaceSource`.
    case credentials
    /// The server said when to come back (429 or 503 with Retry-After).
    case serverAsked(status: Int)
    /// An attempt failed; the next one follows after a growing pause.
    case retrying(DownloadError, attempt: Int)
}

extension WaitReason {
    /// The name of the case, the same wherever programs read it.
    public var name: String {
        switch self {
        case .turn: "turn"
        case .host: "host"
        case .connections: "connections"
        case .start: "start"
        case .notBefore: "notBefore"
        case .space: "space"
        case .openFiles: "openFiles"
        case .linkExpired: "linkExpired"
        case .credentials: "credentials"
        case .serverAsked: "serverAsked"
        case .retrying: "retrying"
        }
    }
}

extension WaitReason {
    /// Whether it is the pause between a failed attempt and the next one.
    package var isBetweenAttempts: Bool {
        switch self {
        case .serverAsked, .retrying: true
        case .turn, .host, .connections, .start, .notBefore, .space, .openFiles, .linkExpired, .credentials: false
        }
    }
}

extension WaitReason: CustomStringConvertible {
    /// The reason in words, to stand behind a colon.
    public var description: String {
        switch self {
        case .turn(let limit): "the limit of \(Self.downloads(limit)) is reached"
        case .host(let host, let limit): "the limit of \(Self.downloads(limit)) from \(host) is reached"
        case .connections(let host, let limit):
            "other downloads use the \(limit == 1 ? "one connection" : "\(limit) connections") that \(host) allows"
        case .start: "about to start"
        case .notBefore(let time): "not before \(time)"
        case .space(let bytes): "not enough disk space: \(ByteCount.string(bytes)) more are needed"
        case .openFiles: "too many open files: fewer downloads run at once; raise the limit (ulimit -n)"
        case .linkExpired(let error): "the link has expired" + (error.status.map { " (\(statusLine($0)))" } ?? "")
        case .credentials: "headers or password must be given again"
        case .serverAsked(let status): statusLine(status)
        case .retrying(let error, let attempt): "attempt \(attempt) failed: \(error)"
        }
    }

    private static func downloads(_ count: Int) -> String { count == 1 ? "1 download" : "\(count) downloads" }
}
