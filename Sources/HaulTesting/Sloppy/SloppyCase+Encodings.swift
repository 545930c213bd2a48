import CHaulZlib
import HaulCore

/// `Content-Encoding` as real servers send it.
extension SloppyCase {
    private static func encoded(
        _ name: String, _ value: String, path: String = "/f", type: String? = nil, outcome: Outcome? = nil
    ) -> SloppyCase {
        SloppyCase("encodings", name, path: path, outcome ?? .file(String(path.dropFirst()))) { response in
            response.lines = ["Content-Encoding: " + value] + (type.map { ["Content-Type: " + $0] } ?? [])
        }
    }

    /// A case with the coded file; `change` corrupts it.
    private static func coded(
        _ name: String, _ value: String, outcome: Outcome = .file("f"), framing: SloppyResponse.Framing = .length,
        bytes: [UInt8]? = nil, _ change: ([UInt8]) -> [UInt8]
    ) -> SloppyCase {
        var response = SloppyResponse()
        response.lines = ["Content-Encoding: " + value]
        response.body = change(bytes ?? content.allBytes)
        response.framing = framing
        return SloppyCase("encodings", name, ["/f": resource(response)], outcome, bytes: bytes)
    }

    /// Codings that are removed although they were not requested.
    private static let decoded: [SloppyCase] = [
        coded("gzip is decoded", "gzip", CodedBytes.gzip),
        coded("gzip in chunks", "gzip", framing: .chunked(), CodedBytes.gzip),
        coded("gzip up to the end of the connection", "GZIP", framing: .close, CodedBytes.gzip),
        coded("x-gzip", "x-gzip", CodedBytes.gzip),
        coded("aws-chunked and gzip", "aws-chunked,gzip", CodedBytes.gzip),
        coded("gzip of what compresses well", "gzip", bytes: Array(repeating: 65, count: 3_000_000), CodedBytes.gzip),
        coded("an empty body", "gzip", bytes: []) { $0 },
        coded("gzip of nothing", "gzip", bytes: [], CodedBytes.gzip),
        coded("several members", "gzip") {
            CodedBytes.gzip(Array($0.prefix(1_000_000))) + CodedBytes.gzip(Array($0.dropFirst(1_000_000)))
        },
        coded("padding behind the data", "gzip") { CodedBytes.gzip($0) + [0, 0, 0, 0] },
        coded("deflate in the zlib format", "deflate", CodedBytes.zlib),
        coded("bare deflate", "deflate", CodedBytes.deflate),
        coded("bytes that are not gzip", "gzip", outcome: .fails(.contentEncoded)) { $0 },
        coded("a wrong checksum", "gzip", outcome: .fails(.contentEncoded)) { bytes in
            var coded = CodedBytes.gzip(bytes)
            coded[coded.count - 6] ^= 1
            return coded
        },
        coded("data that ends too early", "gzip", outcome: .fails(.connectionFailed)) {
            Array(CodedBytes.gzip($0).dropLast(100_000))
        },
        coded("a checksum that is missing", "gzip", outcome: .fails(.connectionFailed)) {
            Array(CodedBytes.gzip($0).dropLast(3))
        },
        coded(
            "data that expands beyond measure", "gzip", outcome: .fails(.contentEncoded),
            bytes: Array(repeating: 0, count: 70 << 20), CodedBytes.gzip),
    ]

    static let encodings: [SloppyCase] =
        decoded
        + [
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

/// Content codings as servers apply them.
public enum CodedBytes {
    /// Returns one gzip member (RFC 1952).
    public static func gzip(_ bytes: [UInt8]) -> [UInt8] {
        let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
        let sum = unsafe bytes.withUnsafeBufferPointer { unsafe crc32(0, $0.baseAddress, UInt32($0.count)) }
        return header + deflate(bytes) + little(UInt32(sum)) + little(UInt32(truncatingIfNeeded: bytes.count))
    }

    /// Returns the zlib format (RFC 1950).
    public static func zlib(_ bytes: [UInt8]) -> [UInt8] {
        var count = compressBound(UInt(bytes.count))
        var result = [UInt8](repeating: 0, count: Int(count))
        let code = unsafe compress2(&result, &count, bytes, UInt(bytes.count), 6)
        precondition(code == Z_OK)
        return Array(result.prefix(Int(count)))
    }

    /// Returns raw deflate (RFC 1951): the zlib format without its first two and last four bytes.
    public static func deflate(_ bytes: [UInt8]) -> [UInt8] { Array(zlib(bytes).dropFirst(2).dropLast(4)) }

    private static func little(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
