import HaulCore
import HaulLibC

/// Asks the user for a secret.
enum SecretPrompt {
    private static let interrupt: UInt8 = 3

    /// Asks on the terminal of this process, regardless of its standard streams, and reads one line without echo.
    ///
    /// Meanwhile, signals are ordinary characters, as with getpass(3): Ctrl-C must not leave the terminal without echo.
    ///
    /// - Throws: `DownloadError`: `invalidRequest` if there is no terminal, `cancelled` after Ctrl-C or at the end of
    ///   input.
    static func ask(_ prompt: String) throws(DownloadError) -> String {
        // Unsafe: the path is a literal.
        let terminal = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else {
            throw DownloadError(
                .invalidRequest, "no terminal to ask for the password: use --password-file")
        }
        defer { _ = close(terminal) }
        var standard = termios()
        // Unsafe, here and below: the struct outlives each call.
        guard unsafe tcgetattr(terminal, &standard) == 0 else {
            throw DownloadError(.invalidRequest, "can't ask on the terminal: use --password-file")
        }
        var hidden = standard
        hidden.c_lflag &= ~tcflag_t(ECHO | ISIG)
        _ = unsafe tcsetattr(terminal, TCSAFLUSH, &hidden)
        defer { _ = unsafe tcsetattr(terminal, TCSAFLUSH, &standard) }
        let output = OutputFile(descriptor: terminal)
        output.write(prompt)
        let line = readLine(terminal)
        output.write("\n")
        guard let line, !line.contains(interrupt) else { throw DownloadError(.cancelled, "no password was given") }
        return String(decoding: line, as: UTF8.self)
    }

    private static func readLine(_ terminal: Int32) -> [UInt8]? {
        var line: [UInt8] = []
        while line.count < 4096 {
            var byte: UInt8 = 0
            // Unsafe: one byte is written into a variable that outlives the call.
            let count = unsafe read(terminal, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return nil }
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { return line }
            line.append(byte)
            if byte == interrupt { return line }
        }
        return line
    }
}
