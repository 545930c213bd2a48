import Foundation

/// `openssl s_server` with a certificate of its own, serving files that hold whole answers.
final class TLSServer: Sendable {
    enum Failure: Error { case openssl(String), noPort }

    let folder: URL
    let port: Int
    private let process: Process

    /// The certificate, which is its own authority.
    var certificate: String { folder.appending(path: "certificate.pem").path }

    /// The private key of the certificate.
    var key: String { folder.appending(path: "key.pem").path }

    /// Starts a server whose certificate is for `name`, for instance `IP:127.0.0.1` or `DNS:localhost`.
    ///
    /// `options` are more options of `openssl s_server`.
    init(for name: String, answers: [String: String], options: String = "") async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "haul-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (file, response) in answers { try Data(response.utf8).write(to: folder.appending(path: file)) }

        let maker = Self.openssl(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -keyout key.pem -out certificate.pem "
                + "-subj /CN=test -addext subjectAltName=\(name)", in: folder)
        maker.standardError = FileHandle.nullDevice
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            maker.terminationHandler = { process in
                guard process.terminationStatus == 0 else {
                    return continuation.resume(throwing: Failure.openssl("req"))
                }
                continuation.resume()
            }
            do { try maker.run() } catch { continuation.resume(throwing: error) }
        }

        process = Self.openssl(
            "s_server -accept 127.0.0.1:0 -cert certificate.pem -key key.pem -HTTP \(options)", in: folder)
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        port = try await Self.port(in: output)
    }

    deinit {
        // It was started with the signals of a worker thread of ours, which blocks those that could be caught.
        kill(process.processIdentifier, SIGKILL)
        try? FileManager.default.removeItem(at: folder)
    }

    func url(_ path: String, host: String = "127.0.0.1") -> String {
        "https://\(host):\(port)/\(path)"
    }

    private static func openssl(_ arguments: String, in folder: URL) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments.split(separator: " ").map(String.init)
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        return process
    }

    /// Reads "ACCEPT 127.0.0.1:12345", and everything after it, so that the server never waits for its reader.
    private static func port(in output: Pipe) async throws -> Int {
        let (lines, continuation) = AsyncStream<String>.makeStream()
        output.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            if data.isEmpty {
                handle.readabilityHandler = nil
                continuation.finish()
            } else {
                continuation.yield(String(decoding: data, as: UTF8.self))
            }
        }
        var text = ""
        for await line in lines {
            text += line
            guard let match = text.firstMatch(of: #/ACCEPT [^ \n]*:(\d+)\n/#), let port = Int(match.1) else { continue }
            return port
        }
        throw Failure.noPort
    }
}
