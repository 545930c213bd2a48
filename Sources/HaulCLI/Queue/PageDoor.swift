import ArgumentParser
import Haul
import HaulClient
import HaulCore
import HaulProcesses
import HaulServer
import HaulWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Opens the web page without showing the daemon's token to other users.
///
/// Every user can read the arguments of a program (proc(5)). So the browser gets a file that only its user can read.
/// The file redirects to the page, with the token in the fragment of the URL, which is never sent.
enum PageDoor {
    /// Returns the page's URL without the token.
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

    /// Writes the file that redirects to the page.
    ///
    /// - Returns: The path of the file.
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

    /// Asks the desktop to open a file.
    ///
    /// - Throws: `DownloadError` with code `notPossible` if there is no desktop.
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
