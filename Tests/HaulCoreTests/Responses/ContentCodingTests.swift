import HTTPTypes
import HaulCore
import Testing

@Suite struct ContentCodingTests {
    private func coding(
        _ value: String?, type: String? = nil, name: String? = nil, url: String? = nil
    ) throws -> ContentCoding {
        var fields = HTTPFields()
        fields[.contentEncoding] = value
        fields[.contentType] = type
        fields[.contentDisposition] = name.map { "attachment; filename=\"\($0)\"" }
        return ContentCoding(fields, url: try url.map { try SourceURL(parsing: $0) })
    }

    @Test(
        "what is not a coding is ignored",
        arguments: [
            nil, "", " ", "identity", "none", "None", "utf-8", "UTF-8", "utf8", "binary", "8bit", "7bit", "aws-chunked",
            "iso-8859-1", "ISO-8859-15", "windows-1252", "us-ascii", "aws-chunked, identity", ", ,",
        ])
    func ignored(value: String?) throws { #expect(try coding(value) == .none) }

    @Test(
        arguments: [
            ("gzip", .gzip), ("GZIP", .gzip), ("x-gzip", .gzip), (" gzip ", .gzip), ("deflate", .deflate),
            ("aws-chunked,gzip", .gzip), ("gzip, identity", .gzip), ("br", .other("br")), ("zstd", .other("zstd")),
            ("compress", .other("compress")), ("deflate, gzip", .other("deflate, gzip")),
            ("sausage", .other("sausage")),
            ("gzip, gzip", .other("gzip, gzip")),
        ] as [(String, ContentCoding)])
    func codings(value: String, expected: ContentCoding) throws { #expect(try coding(value) == expected) }

    @Test("a file that is compressed itself is saved as it is")
    func compressedFiles() throws {
        for value in ["gzip", "x-gzip", "deflate", "aws-chunked, gzip"] {
            for type in ["application/gzip", "application/x-gzip; charset=binary", "APPLICATION/X-TGZ"] {
                #expect(try coding(value, type: type) == .none)
            }
            for name in ["a.gz", "a.tar.gz", "a.TGZ", "a.svgz"] {
                #expect(try coding(value, name: name) == .none)
                #expect(try coding(value, url: "http://h/\(name)?x=y") == .none)
            }
        }
        #expect(try coding("gzip", name: "a.txt", url: "http://h/a.gz") == .gzip, "the header's name counts")
        #expect(try coding("gzip", type: "application/x-zip-compressed", url: "http://h/a.zip") == .gzip)
        #expect(try coding("br", name: "a.gz") == .other("br"))
        #expect(try coding("gzip", url: "http://h/gz") == .gzip)
    }
}
