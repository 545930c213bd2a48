import Foundation

extension Aria2RPC {
    /// Answers a GET: the query says what is called, for pages that can load no more than a script (JSONP).
    ///
    /// - Parameter query: What is behind the question mark, as it was sent.
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

    /// The call that the fields make; a list where they hold nothing but parameters; nil where these are no base64 of JSON.
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

    /// The fields of a query (RFC 3986, section 3.4, as forms write it); the first of a name counts.
    ///
    /// A plus sign stays one: in base64 it is a digit, and clients do not always escape it.
    static func fields(_ query: String) -> [String: String] {
        var fields: [String: String] = [:]
        for part in query.split(separator: "&") {
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = halves[0].removingPercentEncoding, fields[name] == nil else { continue }
            fields[name] = halves.count == 2 ? String(halves[1]).removingPercentEncoding ?? "" : ""
        }
        return fields
    }

    /// Whether a text is a name of a function, and nothing that a script would do more with.
    static func isName(_ text: String) -> Bool {
        (1...100).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                let letter = byte | 0x20
                return (0x61...0x7A).contains(letter) || (0x30...0x39).contains(byte)
                    || [0x5F, 0x24, 0x2E].contains(byte)
            }
    }
}
