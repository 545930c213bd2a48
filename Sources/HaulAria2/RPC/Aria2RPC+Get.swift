import Foundation

extension Aria2RPC {
    /// Responds to a GET request, in which the query contains the call, for pages that can only load a script (JSONP).
    ///
    /// - Parameter query: The part of the URL after the question mark, as it was sent.
    package func response(query: String) async -> Aria2Reply {
        let fields = Self.fields(query)
        guard configuration.allowsGet, query.utf8.count <= configuration.maxBytes, !fields.isEmpty else {
            return .failure(.invalidRequest)
        }
        let callback = fields["jsoncallback"]
        if let callback, !Self.isName(callback) { return .failure(.invalidRequest) }
        var reply: Aria2Reply
        if let request = Self.request(fields) {
            reply = await response(request)
        } else {
            reply = .failure(.parseError)
        }
        if let callback {
            reply.contentType = "text/javascript"
            reply.body = Array("\(callback)(".utf8) + reply.body + Array(")".utf8)
        }
        return reply
    }

    /// Returns the call in the fields; a list if they contain only parameters; nil if the parameters are not JSON in
    /// base64.
    static func request(_ fields: [String: String]) -> JSON? {
        var parameters: JSON?
        if let text = fields["params"] {
            guard let data = Data(base64Encoded: text), let value = try? JSONReader.read(Array(data)) else {
                return nil
            }
            parameters = value
        }
        guard fields["method"] != nil || fields["id"] != nil else { return parameters ?? .object([JSON.Member]()) }
        var members: [JSON.Member] = []
        if let method = fields["method"] { members.append(JSON.Member("method", .string(method))) }
        if let id = fields["id"] { members.append(JSON.Member("id", .string(id))) }
        if let parameters { members.append(JSON.Member("params", parameters)) }
        return .object(members)
    }

    /// Returns the fields of a query (RFC 3986, section 3.4, in the form of HTML forms); the first one with a name
    /// counts.
    ///
    /// A plus sign is kept: it is a digit of base64, and clients do not always escape it.
    static func fields(_ query: String) -> [String: String] {
        var fields: [String: String] = [:]
        for part in query.split(separator: "&") {
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = halves[0].removingPercentEncoding, fields[name] == nil else { continue }
            fields[name] = halves.count == 2 ? String(halves[1]).removingPercentEncoding ?? "" : ""
        }
        return fields
    }

    /// Returns true if a text is only the name of a function, so that it cannot inject code.
    static func isName(_ text: String) -> Bool {
        (1...100).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                let letter = byte | 0x20
                return (0x61...0x7A).contains(letter) || (0x30...0x39).contains(byte)
                    || [0x5F, 0x24, 0x2E].contains(byte)
            }
    }
}
