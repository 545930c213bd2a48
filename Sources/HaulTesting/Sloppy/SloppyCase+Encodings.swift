import HaulCore

/// `Content-Encoding` as servers write it.
extension SloppyCase {
    private static func encoded(
        _ name: String, _ value: String, path: String = "/f", type: String? = nil, outcome: Outcome? = nil
    ) -> SloppyCase {
        SloppyCase("encodings", name, path: path, outcome ?? .file(String(path.dropFirst()))) { response in
            response.lines = ["Content-Encoding: " + value] + (type.map { ["Content-Type: " + $0] } ?? [])
        }
    }

    static let encodings: [SloppyCase] =
        [
            "none", "None", "identity", "utf-8", "UTF-8", "utf8", "binary", "8bit", "7bit", "aws-chunked", "",
            "ISO-8859-1",
            "windows-1252", "aws-chunked, identity", "identity, identity",
        ].map { encoded("\"\($0)\" is ignored", $0) }
        + [
            encoded("gzip of an archive by its name", "gzip", path: "/a.tar.gz"),
            encoded("x-gzip of an archive by its name", "x-gzip", path: "/a.tgz"),
            encoded("gzip of a drawing by its name", "gzip", path: "/a.svgz"),
            encoded("deflate of an archive by its name", "deflate", path: "/a.gz"),
            encoded("gzip of an archive by its type", "gzip", type: "application/gzip"),
            encoded(
                "gzip of an archive by its type with a charset", "gzip", type: "application/x-gzip; charset=binary"),
            encoded("aws-chunked and gzip of an archive", "aws-chunked, gzip", path: "/a.gz"),
            SloppyCase("encodings", "gzip of an archive by the header's name", .file("a.gz")) { response in
                response.lines = ["Content-Encoding: gzip", "Content-Disposition: attachment; filename=\"a.gz\""]
            },
            encoded("brotli", "br", outcome: .fails(.contentEncoded)),
            encoded("zstd", "zstd", outcome: .fails(.contentEncoded)),
            encoded("an unknown coding", "sausage", outcome: .fails(.contentEncoded)),
            encoded("two codings", "deflate, gzip", outcome: .fails(.contentEncoded)),
        ]
}
