import ArgumentParser
import Haul
import HaulClient
import HaulCore
import HaulServer
import HaulWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The way to the page that does not show the daemon's token to anybody else.
///
/// The arguments of a program can be read by every user (proc(5)). So the browser is given a file that only its user can read, and that
/// leads on to the page, with the token in the part of the URL that is never sent.
enum PageDoor {
    /// The page's URL without the token.
    static func url(address: String, port: Int) -> String {
        let host =
            switch address {
            case "0.0.0.0": "127.0.0.1"
            case "::": "[::1]"
            case let address where address.contains(":"): "[\(address)]"
            case let address: address
            }
        return "http://\(host):\(port)/"
    }

    /// Writes the file.
    ///
    /// - Returns: its path.
    /// - Throws: `DownloadError` with code `fileFailed`.
    static func make(url: String, paths: DaemonPaths) throws(DownloadError) -> String {
        let token = (try? String(contentsOf: URL(filePath: paths.token), encoding: .utf8)).map {
            $0.filter { !$0.isWhitespace }
        }
        let path = paths.stateFolder + "/open.html"
        let target = url + (token.map { "#token=\($0)" } ?? "")
        let text = """
            <!doctype html><meta charset="utf-8"><title>Haul</title>
            <meta http-equiv="refresh" content="0; url=\(target)"><a href="\(target)">Haul</a>

            """
        let manager = FileManager.default
        try? manager.removeItem(atPath: path)
        guard manager.createFile(atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600]) else {
            throw DownloadError(.fileFailed, "can't write \(path): haul open --print shows the page's URL")
        }
        return path
    }

    /// Has the desktop open a file.
    ///
    /// - Throws: `DownloadError` with code `notPossible` where there is no desktop.
    static func open(_ path: String) async throws(DownloadError) {
        let variable = TerminalEnvironment.process.value
        guard let program = ProgramPath.find("xdg-open", searchPath: variable("PATH")) else {
            throw DownloadError(.notPossible, "xdg-open is not installed: haul open --print shows the page's URL")
        }
        let outcome = await ChildProcess(
            program: program, arguments: ["xdg-open", path], timeout: .seconds(20)
        ).run()
        guard outcome.isSuccess else {
            throw DownloadError(
                .notPossible, "xdg-open could not open the page: haul open --print shows its URL", cause: "\(outcome)")
        }
    }
}
