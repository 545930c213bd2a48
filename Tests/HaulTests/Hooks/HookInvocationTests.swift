import Foundation
import Haul
import Testing

@Suite struct HookInvocationTests {
    /// Sets one thing of an occasion, and names the variables that must come of it.
    private struct Part: Sendable {
        var set: @Sendable (inout HookContext) -> Void
        var variables: [String: String]
    }

    private static let parts = [
        Part(set: { $0.id = DownloadID(rawValue: 7) }, variables: ["HAUL_ID": "7"]),
        Part(set: { $0.key = "" }, variables: ["HAUL_KEY": ""]),
        Part(set: { $0.url = "https://h/a?b=c" }, variables: ["HAUL_URL": "https://h/a?b=c"]),
        Part(set: { $0.path = "/d/a b\n$(c)" }, variables: ["HAUL_PATH": "/d/a b\n$(c)"]),
        Part(set: { $0.totalBytes = 0 }, variables: ["HAUL_BYTES": "0"]),
        Part(
            set: { $0.error = Sample.error },
            variables: ["HAUL_ERROR": "the server has no such file (404)", "HAUL_ERROR_CODE": "notFound"]),
        Part(set: { $0.group = "g" }, variables: ["HAUL_GROUP": "g"]),
        Part(set: { $0.tags = ["a", "b"] }, variables: ["HAUL_TAGS": "a,b"]),
    ]

    @Test(arguments: HookEvent.allCases)
    func setsExactlyWhatIsKnown(event: HookEvent) throws {
        let command = try HookCommand(on: [event], arguments: ["/p", "$x", "; rm"], timeout: .seconds(3))
        for chosen in 0..<(1 << Self.parts.count) {
            var context = HookContext.idle(time: Sample.time)
            context.event = event
            var expected = ["HAUL_EVENT": event.rawValue]
            for (index, part) in Self.parts.enumerated() where chosen & (1 << index) != 0 {
                part.set(&context)
                expected.merge(part.variables) { $1 }
            }
            let invocation = HookInvocation(command, context)
            try #require(invocation.variables == expected)
            try #require(invocation.arguments == ["/p", "$x", "; rm"])
            try #require(invocation.timeout == .seconds(3))
        }
    }

    @Test func commonVariablesAreAddedAndNeverReplaceThoseOfTheEvent() throws {
        var context = HookContext.idle(time: Sample.time)
        context.key = "k"
        let command = try HookCommand(on: [.idle], arguments: ["x"])
        let invocation = HookInvocation(command, context, common: ["HAUL_SOCKET": "/s", "HAUL_KEY": "other"])
        #expect(invocation.variables == ["HAUL_EVENT": "idle", "HAUL_KEY": "k", "HAUL_SOCKET": "/s"])
        let changes = invocation.changes(toEnvironmentWith: ["HAUL_SOCKET", "HAUL_STATE_FOLDER", "HOME"])
        #expect(changes["HAUL_SOCKET"] == "/s" && changes["HAUL_STATE_FOLDER"] == .some(nil) && changes["HOME"] == nil)
    }

    @Test func leavesNulOutOfVariables() throws {
        var context = HookContext.idle(time: Sample.time)
        context.key = "a\0b\0"
        context.tags = ["x\0", "é"]
        let invocation = try invocation(context)
        #expect(invocation.variables["HAUL_KEY"] == "ab")
        #expect(invocation.variables["HAUL_TAGS"] == "x,é")
    }

    @Test func leavesAVariableAwayThatNoProgramCouldBeStartedWith() throws {
        var context = HookContext.idle(time: Sample.time)
        context.key = String(repeating: "k", count: HookInvocation.maxValue)
        #expect(try invocation(context).variables["HAUL_KEY"] == context.key)
        context.key?.append("k")
        let longer = try invocation(context)
        #expect(longer.variables["HAUL_KEY"] == nil)
        #expect(try field("key", of: longer) as? String == context.key)
    }

    @Test func writesOneLineOfJSON() throws {
        let text = String(decoding: try invocation(#require(Sample.context())).input, as: UTF8.self)
        let expected =
            #"{"event":"completed","group":"g","id":7,"key":"k","path":"/d/a.iso","tags":["a","b"],"#
            + #""time":"2023-11-14T22:13:20.250Z","totalBytes":5,"url":"https://host/x/a.iso"}"# + "\n"
        #expect(text == expected)
    }

    @Test func writesTheErrorAsAnObject() throws {
        let invocation = try invocation(#require(Sample.context(.failed(Sample.error))))
        let error = try #require(try field("error", of: invocation) as? [String: String])
        #expect(error == ["code": "notFound", "message": "the server has no such file", "cause": "404"])
    }

    @Test func takesEveryVariableOfOursOutOfTheEnvironment() throws {
        var context = HookContext.idle(time: Sample.time)
        context.key = "k"
        let names = ["HAUL_", "HAUL_OLD", "HAUL_KEY", "HAUL_\u{301}x", "HAUL", "haul_x", "XHAUL_Y", "PATH"]
        let changes = try invocation(context).changes(toEnvironmentWith: names)
        let gone = changes.filter { $0.value == nil }.keys
        #expect(Set(gone) == ["HAUL_", "HAUL_OLD", "HAUL_\u{301}x"])
        #expect(changes.compactMapValues { $0 } == ["HAUL_KEY": "k", "HAUL_EVENT": "idle"])
    }

    private func invocation(_ context: HookContext) throws -> HookInvocation {
        HookInvocation(try HookCommand(on: [.completed], arguments: ["x"]), context)
    }

    private func field(_ name: String, of invocation: HookInvocation) throws -> Any? {
        let object = try JSONSerialization.jsonObject(with: Data(invocation.input))
        return (object as? [String: Any])?[name]
    }
}
