package import HaulCore

/// The error of a call in JSON-RPC, with its HTTP status.
package struct Aria2Failure: Error, Hashable, Sendable {
    /// The code in the response: 1 for errors of a method, JSON-RPC's own codes for invalid calls.
    package let code: Int
    /// The message in one line; clients of aria2 compare it.
    package let message: String
    /// Additional information for the user.
    ///
    /// It is not part of the response, because clients compare the message with aria2's.
    package let detail: String?
    /// The exit code of the command, if aria2 has one for this failure.
    package private(set) var exitCode: Aria2ErrorCode?
    /// The HTTP status of a response that contains only this error.
    package let status: Int

    private init(_ code: Int, _ message: String, detail: String? = nil, status: Int) {
        self.code = code
        self.message = message
        self.detail = detail
        self.status = status
    }

    /// Returns the error of a method.
    package static func refused(_ message: String, detail: String? = nil) -> Aria2Failure {
        Aria2Failure(1, message, detail: detail, status: 400)
    }

    /// The error for a wrong or missing token.
    package static let unauthorized = refused("Unauthorized")
    /// The error for invalid JSON (JSON-RPC 2.0, section 5.1).
    package static let parseError = Aria2Failure(-32700, "Parse error.", status: 500)
    /// The error for JSON that is not a call.
    package static let invalidRequest = Aria2Failure(-32600, "Invalid Request.", status: 400)
    /// The error for parameters that are not a list.
    package static let invalidParameters = Aria2Failure(-32602, "Invalid params.", status: 500)

    /// Returns the error for an unknown method.
    package static func noSuchMethod(_ name: String) -> Aria2Failure {
        refused("No such method: \(TerminalText.printable(String(name.prefix(100))))")
    }

    /// Returns the error for the invalid value of an option.
    ///
    /// - Parameter reason: The problem and what is expected.
    package static func option(_ name: String, reason: String? = nil) -> Aria2Failure {
        refused("We encountered a problem while processing the option '--\(name)'.", detail: reason)
    }

    /// Returns the error for a folder that can't be created.
    static func makingFolder(_ path: String, _ error: DownloadError) -> Aria2Failure {
        let place = TerminalText.printable(path)
        var failure = refused("Failed to make the directory \(place), cause: \(error.cause ?? error.message)")
        failure.exitCode = .makeFolder
        return failure
    }

    /// Returns the error for a missing parameter.
    package static func missing(_ index: Int) -> Aria2Failure {
        refused("The parameter at \(index) is required but missing.")
    }

    /// Returns the error for a number that is too small.
    package static func tooSmall(_ index: Int, minimum: Int64) -> Aria2Failure {
        refused(
            "The integer parameter at \(index) has invalid value: the value must be greater than or equal to \(minimum)."
        )
    }

    /// Returns the error for a parameter of the wrong type.
    package static func wrongType(_ index: Int) -> Aria2Failure {
        refused("The parameter at \(index) has wrong type.")
    }

    /// Creates the error for one of Haul's own.
    package init(_ error: DownloadError) { self = .refused(error.message) }
}

extension Aria2Failure {
    /// The error in JSON-RPC's form.
    package var json: JSON { .object(["code": .number("\(code)"), "message": .string(message)]) }
}
