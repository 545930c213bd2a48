import HaulServer
import Testing

@Suite("Names that a JSON text has twice")
struct JSONKeysTests {
    @Test(
        "a name counts once per object, and as what its escapes mean",
        arguments: [
            (#"{"a":1,"b":{"a":2},"c":[{"a":1},{"a":1}]}"#, nil), (#"{"a":"a","b":"a"}"#, nil), (#"["a","a"]"#, nil),
            (#"{"a":["x","x",{"x":1}],"x":2}"#, nil), (#"{"a\"":1,"a":2}"#, nil), ("", nil), ("{", nil), (#"{"a"#, nil),
            ("}}]],\"a\",\"a\"", nil), (#"{"a":1,"a":2}"#, "a"), (#"{"b":[{"a":1,"a":2}]}"#, "a"),
            (#"{"a":1,"\u0061":2}"#, "a"), (#"{"\ud83d\ude00":1,"😀":2}"#, "😀"), (#"{"a":{},"a":[]}"#, "a"),
            (#"{"a\n":{},"a\u000a":[]}"#, "a\n"), (#"{"":1,"":2}"#, ""),
        ] as [(String, String?)])
    func names(text: String, twice: String?) { #expect(JSONKeys.firstDuplicate(in: text.utf8) == twice) }
}
