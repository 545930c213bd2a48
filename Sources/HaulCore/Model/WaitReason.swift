#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The reason why a download waits (guarantee: every wait has a reason); later versions may add some.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum WaitReason: Sendable, Hashable, Codable {
    /// The manager's limit of running downloads is reached.
    case turn(limit: Int)
    /// The manager's limit of running downloads per host is reached.
    case host(String, limit: Int)
    /// Other downloads use all the connections that the host allows.
    case connections(host: String, limit: Int)
    /// None: it is about to start.
    case start
    /// The time before which it must not start.
    case notBefore(Date)
    /// Another download must finish first: see `DownloadSpec.Queueing.after`.
    case dependency(DownloadID)
    /// There is not enough disk space; `bytes` are missing.
    case space(bytes: Int64)
    /// The process or the system has too many open files; fewer downloads run until there are enough file descriptors.
    case openFiles
    /// There is no network: the system has no route to the host. It continues when the network is back.
    case network
    /// The network is expensive or constrained, and the download may not use it: see `DownloadSpec.Transfer.networks`.
    case meteredNetwork
    /// It needs a new source because the link has expired; the bytes are kept. See `DownloadManager.replaceSource`.
    case linkExpired(DownloadError)
    /// It needs headers or a password, which are never stored: set them again with `replaceSource` after a relaunch.
    case credentials
    /// The server asked for a later retry (429 or 503 with Retry-After).
    case serverAsked(status: Int)
    /// An attempt failed; the next one follows after a backoff.
    case retrying(DownloadError, attempt: Int)
}

extension WaitReason {
    /// The name of the case, as used in all machine-readable output.
    public var name: String {
        switch self {
        case .turn: "turn"
        case .host: "host"
        case .connections: "connections"
        case .start: "start"
        case .notBefore: "notBefore"
        case .dependency: "dependency"
        case .space: "space"
        case .openFiles: "openFiles"
        case .network: "network"
        case .meteredNetwork: "meteredNetwork"
        case .linkExpired: "linkExpired"
        case .credentials: "credentials"
        case .serverAsked: "serverAsked"
        case .retrying: "retrying"
        }
    }
}

extension WaitReason {
    /// True if it is the pause between a failed attempt and the next one.
    package var isBetweenAttempts: Bool {
        switch self {
        case .serverAsked, .retrying: true
        case .turn, .host, .connections, .start, .notBefore, .dependency, .space, .openFiles, .network, .meteredNetwork,
            .linkExpired, .credentials:
            false
        }
    }
}

extension WaitReason: CustomStringConvertible {
    /// The reason in words, for use after a colon.
    public var description: String {
        switch self {
        case .turn(let limit): "the limit of \(Self.downloads(limit)) is reached"
        case .host(let host, let limit): "the limit of \(Self.downloads(limit)) from \(host) is reached"
        case .connections(let host, let limit):
            "other downloads use \(Self.connections(limit)) that \(host) allows"
        case .start: "about to start"
        case .notBefore(let time): "not before \(time)"
        case .dependency(let download): "download \(download) must finish first"
        // It is not known how much: a sync failed, or others have freed space since.
        case .space(let bytes) where bytes <= 1: "not enough disk space"
        case .space(let bytes): "not enough disk space: \(ByteCount.string(bytes)) more are needed"
        case .openFiles: "too many open files: fewer downloads run at once; raise the limit (ulimit -n)"
        case .network: "there is no network"
        case .meteredNetwork: "the network is expensive or constrained"
        case .linkExpired(let error): "the link has expired" + (error.status.map { " (\(statusLine($0)))" } ?? "")
        case .credentials: "headers, password or request body must be given again"
        case .serverAsked(let status): statusLine(status)
        case .retrying(let error, let attempt): "attempt \(attempt) failed: \(error)"
        }
    }

    private static func downloads(_ count: Int) -> String { count == 1 ? "1 download" : "\(count) downloads" }

    /// The number is 0 if it is not known yet.
    private static func connections(_ count: Int) -> String {
        switch count {
        case ...0: "all connections"
        case 1: "the one connection"
        default: "the \(count) connections"
        }
    }
}
