import HTTPTypes
public import HaulTransport

/// The response of a `ScriptedTransport` to one request.
///
///     .file(bytes)                                  // the file, or the requested range of it
///     .file(bytes).cut(after: 100_000)              // the connection is closed early
///     .status(503, ["Retry-After": "30"])
///     .fails(.refused)                              // there is no response
public struct ScriptedResponse: Sendable {
    /// The start of the response.
    enum Start: Sendable {
        case file([UInt8])
        case status(Int, [UInt8])
        case failure(TransportError)
        case silence
    }

    /// The way that a body ends early.
    enum Break: Sendable {
        case cut(after: Int)
        case stall(after: Int)
    }

    let start: Start
    var fields: [(name: String, value: String)] = []
    var ending: Break?
    var delay: Duration = .zero
    var etag: String?
    var servesRanges = true

    private init(_ start: Start) { self.start = start }

    /// Sends a file: all of it (200), or the part that a range request asks for (206).
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the file.
    ///   - etag: The version of the file, without quotation marks; by default one that the bytes determine.
    public static func file(_ bytes: [UInt8], etag: String? = nil) -> ScriptedResponse {
        var result = ScriptedResponse(.file(bytes))
        // FNV-1a: equal bytes are the same version in every process.
        let sum = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        result.etag = "\"\(etag ?? String(sum, radix: 16))\""
        return result
    }

    /// Sends a status with headers and a body.
    public static func status(
        _ code: Int, _ headers: KeyValuePairs<String, String> = [:], body: [UInt8] = []
    ) -> ScriptedResponse {
        var result = ScriptedResponse(.status(code, body))
        result.fields = headers.map { ($0.key, $0.value) }
        return result
    }

    /// Redirects to another URL.
    public static func redirect(to url: String, status: Int = 302) -> ScriptedResponse {
        .status(status, ["Location": url])
    }

    /// Fails without a response.
    public static func fails(_ kind: TransportError.Kind, _ detail: String = "a scripted failure") -> ScriptedResponse {
        ScriptedResponse(.failure(TransportError(kind, detail)))
    }

    /// Sends nothing until the transfer is cancelled.
    public static let silence = ScriptedResponse(.silence)

    /// Sends the response after a delay of the transport's clock.
    public func delayed(by delay: Duration) -> ScriptedResponse { with { $0.delay = delay } }

    /// Closes the connection after a number of body bytes.
    public func cut(after bytes: Int) -> ScriptedResponse { with { $0.ending = .cut(after: bytes) } }

    /// Sends nothing more after a number of body bytes; the connection stays open.
    public func stalling(after bytes: Int) -> ScriptedResponse { with { $0.ending = .stall(after: bytes) } }

    /// Adds a header.
    public func header(_ name: String, _ value: String) -> ScriptedResponse { with { $0.fields.append((name, value)) } }

    /// Sends the whole file whatever range is requested, as servers without range requests do.
    public func withoutRanges() -> ScriptedResponse { with { $0.servesRanges = false } }

    private func with(_ change: (inout ScriptedResponse) -> Void) -> ScriptedResponse {
        var copy = self
        change(&copy)
        return copy
    }
}

extension ScriptedResponse {
    /// The messages that a request gets.
    enum Reply: Sendable {
        case response(HTTPResponse, body: [UInt8])
        case failure(TransportError)
        case silence
    }

    /// Returns the reply to a request with these headers.
    func reply(to headers: HTTPFields) -> Reply {
        switch start {
        case .failure(let error): .failure(error)
        case .silence: .silence
        case .status(let code, let body):
            .response(head(code, ["Content-Length": "\(body.count)"]), body: body)
        case .file(let bytes): file(bytes, headers)
        }
    }

    private func file(_ bytes: [UInt8], _ headers: HTTPFields) -> Reply {
        let range = headers[.range].map { RequestedRange.list($0) } ?? []
        // RFC 9110, 13.1.5: another version is sent as a whole.
        let isSameVersion = headers[.ifRange].map { $0 == etag } ?? true
        var fields: KeyValuePairs<String, String> = ["ETag": etag ?? "", "Content-Length": "\(bytes.count)"]
        guard servesRanges, isSameVersion, range.count == 1 else { return .response(head(200, fields), body: bytes) }
        guard let part = range[0].resolved(in: Int64(bytes.count)) else {
            return .response(head(416, ["Content-Range": "bytes */\(bytes.count)", "Content-Length": "0"]), body: [])
        }
        fields = [
            "ETag": etag ?? "", "Content-Length": "\(part.count)",
            "Content-Range": "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(bytes.count)",
        ]
        return .response(head(206, fields), body: Array(bytes[Int(part.lowerBound)..<Int(part.upperBound)]))
    }

    private func head(_ code: Int, _ own: KeyValuePairs<String, String>) -> HTTPResponse {
        var response = HTTPResponse(status: HTTPResponse.Status(code: code))
        for (name, value) in own.map({ ($0.key, $0.value) }) + fields {
            guard let name = HTTPField.Name(name) else { continue }
            response.headerFields.append(HTTPField(name: name, value: value))
        }
        return response
    }
}
