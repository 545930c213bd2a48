import HaulAria2
import HaulCore
import HaulTestTraits
import Testing

@Suite("Calls and their answers", .usesSockets)
struct Aria2CallTests {
    @Test(
        "what is no call: the number, the status, the identity",
        arguments: [
            ("{", 500, -32700, JSON.null), ("", 500, -32700, .null), ("3", 500, -32700, .null),
            ("\"x\"", 500, -32700, .null),
            (#"{"method":"aria2.getVersion"}"#, 400, -32600, .null), (#"{"id":"a"}"#, 400, -32600, .string("a")),
            (#"{"id":7,"method":"aria2.getVersion","params":{}}"#, 500, -32602, .number("7")),
            (#"{"id":7,"method":5}"#, 400, -32600, .number("7")),
            (#"{"id":[],"method":"aria2.getVersion"}"#, 400, -32600, .null),
            (#"{"id":1.5,"method":"aria2.nonsense"}"#, 400, 1, .number("1.5")),
        ] as [(String, Int, Int, JSON)])
    func noCalls(text: String, status: Int, code: Int, id: JSON) async throws {
        try await RPCTrial.run { harness async throws in
            let reply = try await harness.send(text)
            #expect(reply.status == status)
            #expect(reply.body["error"]?["code"] == .number("\(code)"))
            #expect(reply.body["id"] == id)
        }
    }

    @Test("version 2.0 may be a number, parameters may be missing, a number too large is refused, and so is a request")
    func lenience() async throws {
        try await RPCTrial.run([:], .interface { $0.maxBytes = 1000 }) { harness async throws in
            #expect(
                try await harness.send(#"{"jsonrpc":2.0,"id":null,"method":"aria2.getVersion"}"#).body["result"]?[
                    "version"] == .string("1.37.0"))
            #expect(try await harness.call("aria2.getSessionInfo")["sessionId"]?.text?.utf8.count == 40)
            let wide = String(repeating: " ", count: 1000) + "{}"
            #expect(try await harness.send(wide).status == 400)
            #expect(try await harness.refusal("aria2.tellWaiting", "[1e400,1]") == "The parameter at 0 has wrong type.")
            #expect(
                try await harness.refusal("aria2.tellWaiting", "[0,-1]").hasSuffix(
                    "must be greater than or equal to 0."))
            #expect(
                try await harness.refusal("aria2.tellWaiting", "[0]") == "The parameter at 1 is required but missing.")
        }
    }

    @Test("a batch is answered with a list, always with 200")
    func batch() async throws {
        try await RPCTrial.run { harness async throws in
            let reply = try await harness.send(#"[{"id":1,"method":"aria2.getGlobalStat"},{"id":2,"method":"x"},4]"#)
            #expect(reply.status == 200)
            let answers = try #require(reply.body.elements)
            #expect(answers.map { $0["id"] } == [.number("1"), .number("2")])
            #expect(answers[0]["result"]?["numActive"] == .string("0"))
            #expect(answers[1]["error"]?["message"] == .string("No such method: x"))
            #expect(try await harness.send("[]").body == .array([]))
        }
    }

    @Test("a multicall wraps each value in a list, and has each error stand for itself; none within another")
    func multicall() async throws {
        try await RPCTrial.run { harness async throws in
            let calls = """
                [{"methodName":"aria2.getGlobalStat","params":[]},{"methodName":"aria2.tellStatus","params":["zz"]},
                {"methodName":"system.multicall","params":[[]]},{"methodName":"aria2.getVersion"},5]
                """
            let answers = try #require(await harness.call("system.multicall", "[\(calls)]").elements)
            #expect(answers.count == 5)
            #expect(answers[0].elements?.count == 1)
            #expect(answers[1] == .object(["code": .number("1"), "message": .string("Invalid GID zz")]))
            #expect(answers[2]["message"] == .string("Recursive system.multicall forbidden."))
            #expect(answers[3].elements?.first?["version"] != nil)
            #expect(answers[4]["message"] == .string("system.multicall expected struct."))
        }
    }

    @Test("36 methods, and those that are listed are those that there are")
    func methods() async throws {
        try await RPCTrial.run { harness async throws in
            let listed = try #require(await harness.call("system.listMethods").elements).compactMap(\.text)
            #expect(listed.count == 36)
            #expect(Set(listed) == Set(Aria2Method.allCases.map(\.rawValue)))
            #expect(try await harness.call("system.listNotifications").elements?.count == 6)
            #expect(try await harness.refusal("aria2.addTorrent", #"["AAAA"]"#).contains("BitTorrent is not supported"))
        }
    }

    @Test(
        "the token: taken away where none is asked for; asked for in each call within others; not for the lists of names"
    )
    func token() async throws {
        try await RPCTrial.run { harness async throws in
            #expect(try await harness.call("aria2.getGlobalStat", #"["token:any"]"#)["numActive"] != nil)
        }
        try await RPCTrial.run([:], .interface { $0.secret = "S3cret" }) { harness async throws in
            for wrong in [
                #"["token:x"]"#, "[]", #"["S3cret"]"#, #"["token:"]"#, #"["token:S3cret2"]"#, #"["token:s3cret"]"#,
            ] {
                #expect(try await harness.refusal("aria2.getGlobalStat", wrong) == "Unauthorized")
                #expect(try await harness.refusal("aria2.nonsense", wrong) == "Unauthorized")
            }
            #expect(try await harness.call("aria2.getGlobalStat", #"["token:S3cret"]"#)["numActive"] != nil)
            #expect(try await harness.call("system.listMethods").elements?.count == 36)
            let calls = """
                [{"methodName":"aria2.getGlobalStat","params":["token:S3cret"]},{"methodName":"aria2.getGlobalStat","params":[]}]
                """
            let answers = try #require(await harness.call("system.multicall", "[\(calls)]").elements)
            #expect(answers[0].elements != nil && answers[1]["message"] == .string("Unauthorized"))
            let open = await harness.rpc.response(Array(#"{"id":1,"method":"system.listMethods"}"#.utf8))
            #expect(!open.isAuthorized)
            let shown = await harness.rpc.response(
                Array(#"{"id":1,"method":"aria2.getVersion","params":["token:S3cret"]}"#.utf8))
            #expect(shown.isAuthorized)
            let reported = try await harness.call("aria2.getGlobalOption", #"["token:S3cret"]"#)
            #expect(!reported.line.contains("S3cret"))
        }
    }

    @Test("by GET: method, identity, parameters in base64, a callback that is a name and nothing more")
    func get() async throws {
        try await RPCTrial.run { harness async throws in
            // ["gid"] and [{"id":1,"method":"aria2.getVersion"}]
            let plain = await harness.rpc.response(query: "method=aria2.getVersion&id=a&jsoncallback=cb.x_1")
            #expect(plain.status == 200 && plain.contentType == "text/javascript")
            let text = String(decoding: plain.body, as: UTF8.self)
            #expect(text.hasPrefix("cb.x_1({") && text.hasSuffix("})"))
            let batch = await harness.rpc.response(
                query: "params=W3siaWQiOjEsIm1ldGhvZCI6ImFyaWEyLmdldFZlcnNpb24ifV0%3D")
            #expect(try JSONReader.read(batch.body).elements?.first?["result"] != nil)
            let one = await harness.rpc.response(query: "method=aria2.tellStatus&id=a&params=WyJnaWQiXQ==")
            #expect(try JSONReader.read(one.body)["error"]?["message"] == .string("Invalid GID gid"))
            for bad in ["", "method=aria2.getVersion&id=a&jsoncallback=alert(1)//", "x", "jsoncallback=%3Cscript%3E"] {
                #expect(await harness.rpc.response(query: bad).status == 400, "\(bad)")
            }
            for bad in ["params=!!", "params=e30x", "method=a&id=b&params=AAAA"] {
                #expect(await harness.rpc.response(query: bad).status == 500, "\(bad)")
            }
        }
        try await RPCTrial.run([:], .interface { $0.allowsGet = false }) { harness async throws in
            #expect(await harness.rpc.response(query: "method=aria2.getVersion&id=a").status == 400)
        }
    }
}
