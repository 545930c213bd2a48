package import HaulCore

/// Advice on what to type after a failure.
///
/// This is the only such table: the errors of the library name no options.
package enum FailureAdvice {
    /// Returns a clause for the end of the message; nil if nothing can be done on the command line.
    ///
    /// - Parameters:
    ///   - url: The URL of the download, if it is known.
    ///   - path: The destination, if it is known.
    package static func text(for error: DownloadError, url: SourceURL?, path: String) -> String? {
        if error.isOfUnfinished { return "to resume it, add --continue" }
        if error.isNotAdopted { return "to save under another name, use --on-conflict rename instead of --continue" }
        if wantsTLS(error, url) { return "use ftpes:// instead of ftp://" }
        if let detail = error.detail { return text(for: detail, url: url) }
        if let folder = error.folderInsteadOfFile { return "to save in this folder, use -d \(quoted(folder))" }
        if error.isOfMaximumTime { return "run the same command again to resume, if possible, or raise --max-time" }
        switch error.code {
        case .destinationExists where error.cause == NameOrder.sharedName:
            return "give one of them another name, or add --on-conflict rename"
        // With the policy "skip", which the others would replace.
        case .destinationExists where error.isOfDifferentFile:
            return "choose another name, or use --on-conflict keep, replace or rename"
        case .destinationExists:
            return
                "choose another name, or add --on-conflict keep, skip, replace or rename; if another program left it unfinished: --continue"
        case .contentEncoded: return "to save it as it is sent, add --raw"
        case .linkExpired: return "to resume: haul get -o \(quoted(path)) 'NEW-URL'"
        case .serverBusy: return "to keep trying, add --retries NUMBER"
        default: return nil
        }
    }

    /// Returns the command to type after an error of the daemon; nil if its message says everything.
    package static func command(after error: DownloadError) -> String? {
        if let earlier = error.earlierDownload {
            return earlier.isFinished
                ? "to download it again: haul retry \(earlier.id)"
                : "to use the new one: haul remove \(earlier.id), and add it again"
        }
        return error.isOfNotRemovable ? "haul remove --files none" : nil
    }

    private static func text(for detail: DownloadError.Detail, url: SourceURL?) -> String? {
        switch detail {
        case .certificateExpired:
            "if the clock of this machine is right, only the operator of the server can renew it; --insecure accepts it"
        case .certificateNotYetValid: "check the clock of this machine"
        case .certificateSelfSigned:
            "to trust it, add --ca-certificate FILE with this certificate; --insecure accepts it without a check"
        case .certificateAuthorityUnknown: "to trust it, add --ca-certificate FILE with the authority's certificate"
        case .certificateForOtherHost: "use one of its names in the URL; --insecure accepts it"
        case .clientCertificateMissing: "add --client-certificate FILE"
        case .clientCertificateRefused: "use another one: --client-certificate FILE"
        case .handshakeRefused: "if it requires a client certificate, add --client-certificate FILE"
        case .hostKeyUnknown: url.map(trustHostKey)
        case .hostKeyChanged: url.map(replaceHostKey)
        case .serverWithoutTLS: url.flatMap(withoutTLS)
        case .serverWithTLS: "use https:// instead of http://"
        case .serverWithoutHTTP: nil
        case .loginNeeded: "add --user NAME"
        case .tokenNeeded: "add --bearer-file FILE"
        case .loginRefused where url?.origin.scheme == "sftp":
            "check the user name, and the key in ~/.ssh or the password (--password-file FILE)"
        case .loginRefused: nil
        case .otherSchemeNeeded: "add --auth any"
        case .forbidden: "if it requires a login, add --user NAME or --load-cookies FILE"
        case .withheld: "if you trust that host with them, use its URL, or add them for it to a file for --netrc-file"
        case .proxyLoginNeeded: "add --proxy-user-file FILE"
        case .proxyLoginRefused: "check --proxy-user-file"
        case .proxyWithoutTLS: "use http:// in the URL of the proxy"
        case .proxyFailed: "to use another proxy, add --proxy URL; to use none, --proxy ''"
        case .noNetwork: "to wait for it, add --wait-for-network"
        case .slowToConnect: "to wait longer, add --connect-timeout SECONDS"
        case .silent: "to wait longer, add --idle-timeout SECONDS"
        case .longWait: "to wait for it, add --max-wait SECONDS"
        case .tooManyRequests: "try later, with fewer connections (-c 1), or with --retries NUMBER"
        case .rangeRefused: "to fetch the whole file again, add --no-resume"
        case .mustStartAgain: nil
        case .notRepeated: "to repeat it all the same, add --repeat-request"
        case .downgrade: "to follow it, add --allow-downgrade"
        case .headerChecksum: "try again, with --no-header-checksum if that header is wrong"
        case .foundChecksum: "try again, without --find-checksum if that list is out of date"
        }
    }

    private static func trustHostKey(_ url: SourceURL) -> String {
        "to trust it, connect once with ssh\(sshPort(url)) \(sshHost(url)), or: "
            + "ssh-keyscan\(sshPort(url)) \(sshHost(url)) >> ~/.ssh/known_hosts"
    }

    private static func replaceHostKey(_ url: SourceURL) -> String {
        let known = url.origin.port == 22 ? sshHost(url) : "'[\(sshHost(url))]:\(url.origin.port)'"
        return "if its operator confirms the new key: ssh-keygen -R \(known), then connect once with "
            + "ssh\(sshPort(url)) \(sshHost(url))"
    }

    private static func sshPort(_ url: SourceURL) -> String {
        url.origin.port == 22 ? "" : " -p \(url.origin.port)"
    }

    private static func sshHost(_ url: SourceURL) -> String {
        quoted(url.host.hasPrefix("[") ? String(url.host.dropFirst().dropLast()) : url.host)
    }

    /// Returns true if an FTP server refuses logins without TLS, which it says in words only.
    private static func wantsTLS(_ error: DownloadError, _ url: SourceURL?) -> Bool {
        guard error.code == .notAuthorized, url?.origin.scheme == "ftp" else { return false }
        let reply = error.cause?.lowercased() ?? ""
        return ["encryption", "tls", "ssl", "secure"].contains { reply.contains($0) }
    }

    private static func withoutTLS(_ url: SourceURL) -> String? {
        switch url.origin.scheme {
        case "https": "use http:// instead of https://"
        case "ftps": "use ftpes:// (TLS on request) or ftp:// instead of ftps://"
        case "ftpes": "use ftp:// instead of ftpes://"
        default: nil
        }
    }

    /// Returns a path quoted as one word of a shell.
    private static func quoted(_ path: String) -> String {
        let plain = path.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "/"),
                UInt8(ascii: "+"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        let text = TerminalText.printable(path)
        return plain
            ? text : "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
