import Haul
package import HaulCore
import HaulProcesses

/// Opens files and folders on the desktop.
package struct FileOpener: Sendable {
    private let environment: [String: String]

    /// The maximum run time of a program that opens something; some wait until the window is closed.
    private static let maximum = Duration.seconds(24 * 3600)

    /// Makes an opener that finds programs with this environment.
    package init(environment: [String: String]) { self.environment = environment }

    /// Opens a file with its default program.
    ///
    /// - Throws: `DownloadError` with code `notPossible` if there is no desktop.
    package func open(_ path: String) async throws(DownloadError) {
        guard await run("xdg-open", [path], Self.maximum) else {
            throw DownloadError(.notPossible, "can't open \(path): xdg-open is missing or failed")
        }
    }

    /// Shows a file in the file manager (File Manager D-Bus Interface, `ShowItems`), or else opens its folder.
    ///
    /// - Throws: `DownloadError` with code `notPossible` if there is no desktop.
    package func show(_ path: String) async throws(DownloadError) {
        if await run("gdbus", Self.showItems(path), .seconds(10)) { return }
        try await open(path.lastIndex(of: "/").map { String(path[..<$0]) + "/" } ?? path)
    }

    /// Returns the arguments of `gdbus` (gdbus(1)): a percent-encoded file URL (RFC 8089) needs no escaping under
    /// GVariant's rules.
    package static func showItems(_ path: String) -> [String] {
        [
            "call", "--session", "--timeout", "5", "--dest", "org.freedesktop.FileManager1",
            "--object-path", "/org/freedesktop/FileManager1", "--method", "org.freedesktop.FileManager1.ShowItems",
            "['\(fileURL(path))']", "",
        ]
    }

    /// Returns the URL of an absolute path, with everything but unreserved characters (RFC 3986, section 2.3) and
    /// slashes percent-encoded.
    package static func fileURL(_ path: String) -> String {
        path.utf8.reduce(into: "file://") { text, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"), UInt8(ascii: "/"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            case _: text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
    }

    private func run(_ name: String, _ arguments: [String], _ timeout: Duration) async -> Bool {
        guard let program = ProgramPath.find(name, searchPath: environment["PATH"]) else { return false }
        return await ChildProcess(program: program, arguments: [name] + arguments, timeout: timeout).run().isSuccess
    }
}
