import Haul
import HaulTestTraits
import Testing

@testable import HaulEngine

@Suite("Tokenizer of XML")
struct XMLTokenizerTests {
    typealias Token = XMLTokenizer.Token

    static func tokens(_ text: String) throws -> [Token] {
        var tokenizer = XMLTokenizer(Array(text.utf8))
        var all: [Token] = []
        while let token = try tokenizer.next() {
            if case .text(let more) = token, case .text(let before)? = all.last {
                all[all.count - 1] = .text(before + more)
            } else {
                all.append(token)
            }
        }
        return all
    }

    @Test("elements, attributes and text come in the order of the document")
    func order() throws {
        let text = "<?xml version='1.0'?>\n<a x=\"1\" y = '2'><b/>t<c >u</c ></a>\n<!-- end -->"
        #expect(
            try Self.tokens(text) == [
                .start(name: "a", attributes: ["x": "1", "y": "2"]), .start(name: "b", attributes: [:]),
                .end(name: "b"),
                .text("t"), .start(name: "c", attributes: [:]), .text("u"), .end(name: "c"), .end(name: "a"),
            ])
    }

    @Test(
        "text is read as it was meant",
        arguments: [
            ("&amp;&lt;&gt;&quot;&apos;", "&<>\"'"), ("&#228;&#xE4;&#x1F600;", "ää😀"), ("a<!-- b -->c", "ac"),
            ("a<?b c?>d", "ad"),
            ("<![CDATA[<a>&amp;]] ]]>x", "<a>&amp;]] x"), ("ä\r\n\t", "ä\r\n\t"), ("<![CDATA[]]]]>", "]]"),
        ])
    func text(source: String, text: String) throws {
        let all = try Self.tokens("<a>\(source)</a>")
        #expect(all == [.start(name: "a", attributes: [:]), .text(text), .end(name: "a")])
    }

    @Test("white space in an attribute becomes spaces, references are replaced")
    func attributes() throws {
        let all = try Self.tokens("<a x='1\n&#10;\t&lt;>&quot;\"'/>")
        #expect(all.first == .start(name: "a", attributes: ["x": "1 \n <>\"\""]))
    }

    @Test(
        "what is not well-formed is an error",
        arguments: [
            "", " ", "x", "<", "<a", "<a>", "<a/", "</a>", "<a></b>", "<a><b></a></b>", "<a/><b/>", "<a/>x", "x<a/>",
            "<1/>", "<-a/>",
            "<a x/>", "<a x=1/>", "<a x='1/>", "<a x='<'/>", "<a x='1'x='2'/>", "<a x='1' x='2'/>", "<a x='&'/>",
            "<a>&</a>",
            "<a>&b;</a>", "<a>&#0;</a>", "<a>&#xD800;</a>", "<a>&#xFFFF;</a>", "<a>&#-1;</a>", "<a>&#+65;</a>",
            "<a>&#x;</a>",
            "<a>&#99999999;</a>", "<a>]]></a>", "<a>\u{1}</a>", "<a x='\u{1}'/>", "<a><![CDATA[</a>",
            "<![CDATA[x]]><a/>",
            "<a><!-- b -- c --></a>", "<a><!-- </a>", "<a><? ?></a>", "<a><?b </a>", "<a><?xml version='1.0'?></a>",
            "<!DOCTYPE a><a/>", "<a><!ENTITY b 'c'></a>", "<a b='1'/", "<>", "</>", "<a></a", "<a><!",
        ])
    func broken(text: String) {
        #expect(throws: XMLTokenizer.Problem.self) { try Self.tokens(text) }
    }

    @Test("an error names its line")
    func line() {
        let error = #expect(throws: XMLTokenizer.Problem.self) { try Self.tokens("<a>\n<b>\n</c></a>") }
        #expect(error?.line == 3)
    }
}
