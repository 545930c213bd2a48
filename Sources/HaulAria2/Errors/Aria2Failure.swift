package import HaulCore

/// Why a call has no result, in JSON-RPC's terms and with the status that HTTP tells it by.
package struct Aria2Failure: Error, Hashable, Sendable {
    /// The number in the answer: 1 for what a method refuses, JSON-RPC's own for what is no call.
    package let code: Int
    /// One line; clients of aria2 compare it.
    package let message: String
    /// What a person should know, too; it is no part of the answer, as clients compare the message with aria2's.
    package let detail: String?
    /// The HTTP status of an answer that is this alone.
    package let status: Int

    private init(_ code: Int, _ message: String, detail: String? = nil, status: Int) {
        self.code = code
        self.message = message
        self.detail = detail
        self.status = status
    }

    /// A method refuses.
    package static func refused(_ message: String, detail: String? = nil) -> Aria2Failure {
        Aria2Failure(1, message, detail: detail, status: 400)
    }

    /// Wrong or missing token.
    package static let unauthorized = refused("Unauthorized")
    /// What came is no JSON (JSON-RPC 2.0, section 5.1).
    package static let parseError = Aria2Failure(-32700, "Parse error.", status: 500)
    /// It is JSON, but no call.
    package static let invalidRequest = Aria2Failure(-32600, "Invalid Request.", status: 400)
    /// The parameters are no list.
    package static let invalidParameters = Aria2Failure(-32602, "Invalid params.", status: 500)

    /// There is no such method.
    package static func noSuchMethod(_ name: String) -> Aria2Failure {
        refused("No such method: \(TerminalText.printable(String(name.prefix(100))))")
    }

    /// The value of an option can't be used.
    package static func option(_ name: String) -> Aria2Failure {
        refused("We encountered a problem while processing the option '--\(name)'.")
    }

    /// A parameter is missing.
    package static func missing(_ index: Int) -> Aria2Failure {
        refused("The parameter at \(index) is required but missing.")
    }

    /// A number is too small.
    package static func tooSmall(_ index: Int, minimum: Int64) -> Aria2Failure {
        refused(
            "The integer parameter at \(index) has invalid value: the value must be greater than or equal to \(minimum).")
    }

    /// A parameter has another type.
    package static func wrongType(_ index: Int) -> Aria2Failure {
        refused("The parameter at \(index) has wrong type.")
    }

    /// Haul's own error.
    package init(_ error: DownloadError) { self = .refused(error.message) }
}

extension Aria2Failure {
    /// The error as JSON-RPC writes it.
    package var json: JSON { .object(["code": .number("\(code)"), "message": .string(message)]) }
}
