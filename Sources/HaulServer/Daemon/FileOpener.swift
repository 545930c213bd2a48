import Haul
package import HaulCore

/// Has the desktop open files and folders.
package struct FileOpener: Sendable {
    private let environment: [String: String]

    /// How long a program may run that opens something; some wait until the window is closed.
    private static let maximum = Duration.seconds(24 * 3600)

    /// Makes one that finds programs by this environment.
    package init(environment: [String: String]) { self.environment = environment }

    /// Opens a file with the program that the desktop has for it.
    ///
    /// - Throws: `DownloadError` with code `notPossible` where there is no desktop.
    package func open(_ path: String) async throws(DownloadError) {
        guard await run("xdg-open", [path], Self.maximum) else {
            throw DownloadError(.notPossible, "can't open \(path): xdg-open is missing or failed")
        }
    }

    /// Shows a file in its folder, by the desktop's file manager (File Manager D-Bus Interface, `ShowItems`), else the folder alone.
    ///
    /// - Throws: `DownloadError` with code `notPossible` where there is no desktop.
    package func show(_ path: String) async throws(DownloadError) {
        if await run("gdbus", Self.showItems(path), .seconds(10)) { return }
        try await open(path.lastIndex(of: "/").map { String(path[..<$0]) + "/" } ?? path)
    }

    /// The arguments of `gdbus` (gdbus(1)): a file URL (RFC 8089) needs no escaping by GVariant's rules once it is percent-encoded.
    package static func showItems(_ path: String) -> [String] {
        [
            "call", "--session", "--timeout", "5", "--dest", "org.freedesktop.FileManager1",
            "--object-path", "/org/freedesktop/FileManager1", "--method", "org.freedesktop.FileManager1.ShowItems",
            "['\(fileURL(path))']", "",
        ]
    }

    /// The URL of an absolute path, all but unreserved characters (RFC 3986, section 2.3) and slashes percent-encoded.
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
