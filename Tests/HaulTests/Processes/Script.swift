import Foundation
import Haul
import HaulProcesses
import HaulTesting

extension TemporaryFolder {
    /// Puts a shell script there that can be run as a program; in it, `$HERE` is this folder.
    ///
    /// Another process writes it: were it open for writing here, a child that another test starts at this moment would hold it
    /// open until its own execve(2), and starting the script could fail (ETXTBSY).
    @discardableResult
    func script(_ name: String, _ text: String) async throws -> String {
        let writer = ChildProcess(
            program: "/bin/sh", arguments: ["sh", "-c", #"cat > "$1" && chmod 755 "$1""#, "sh", path(name)],
            input: Array("#!/bin/sh\nHERE='\(path)'\n\(text)\n".utf8), timeout: .seconds(60))
        let outcome = await writer.run()
        guard outcome.isSuccess else { throw ScriptFailure(outcome: outcome) }
        return path(name)
    }

    /// The text of a file there.
    func text(_ name: String) -> String? { bytes(name).map { String(decoding: $0, as: UTF8.self) } }
}

/// A script could not be written.
struct ScriptFailure: Error {
    var outcome: ProcessOutcome
}
