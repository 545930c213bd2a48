/// A body and the related header fields.
struct Entity: Sendable {
    var pieces: [BodyPiece]
    var type: String?
    var contentRange: String?
    /// The value of Content-Length.
    var announced: Int64
    /// The maximum number of bytes that are sent.
    var limit = Int64.max
}

/// Makes the body of a response, with the faults of the script.
struct EntityBuilder {
    private let resource: Resource
    private let script: ServerScript
    private let facts: RequestFacts

    init(_ resource: Resource, _ script: ServerScript, _ facts: RequestFacts) {
        self.resource = resource
        self.script = script
        self.facts = facts
    }

    func entity(_ answer: Answer) -> Entity {
        var entity = plain(answer)
        entity.announced = entity.pieces.reduce(0) { $0 + $1.count }
        if script.body.isGzipped {
            let encoded = Gzip.encode(BodyReader.all(entity.pieces))
            entity.pieces = [.literal(encoded)]
            entity.announced = Int64(encoded.count)
        }
        if script.body.missing > 0 { entity.limit = max(0, entity.announced - script.body.missing) }
        if script.body.surplus > 0 {
            entity.pieces.append(.literal([UInt8](repeating: 0x58, count: Int(script.body.surplus))))
        }
        if script.body.isEndless { entity.pieces.append(.endless) }
        return entity
    }

    private func plain(_ answer: Answer) -> Entity {
        if case .status(_, let body) = script.kind {
            return Entity(pieces: body.isEmpty ? [] : [.literal(body)], type: "text/plain", announced: 0)
        }
        if answer.status == 416 {
            return Entity(pieces: [], contentRange: "bytes */\(resource.size)", announced: 0)
        }
        if case .multipart = script.kind { return multipart(answer) }
        let range = answer.status == 206 ? contentRange(answer.range) : nil
        return Entity(pieces: [part(answer.range)], type: resource.contentType, contentRange: range, announced: 0)
    }

    private func part(_ range: Range<Int64>) -> BodyPiece {
        let shift = max(script.body.shift, -range.lowerBound)
        return .content(
            resource.content, (range.lowerBound + shift)..<(range.upperBound + shift),
            flips: script.body.flips.map { $0 + shift })
    }

    private func contentRange(_ range: Range<Int64>) -> String? {
        var (unit, first, last) = ("bytes", range.lowerBound, range.upperBound - 1)
        var total = "\(resource.size)"
        switch script.head.contentRange {
        case nil: break
        case .moved(let distance): (first, last) = (first + distance, last + distance)
        case .lastMoved(let distance): last += distance
        case .total(let other): total = other.map { "\($0)" } ?? "*"
        case .unit(let other): unit = other
        case .text(let text): return text
        case .missing: return nil
        }
        return "\(unit) \(first)-\(last)/\(total)"
    }

    /// Makes a multipart body (RFC 9110, 14.6).
    private func multipart(_ answer: Answer) -> Entity {
        let boundary = "THIS_SEPARATES"
        let asked = facts.ranges.compactMap { $0.resolved(in: resource.size) }
        var pieces: [BodyPiece] = []
        for range in asked.isEmpty ? [answer.range] : asked {
            let type = resource.contentType.map { "Content-Type: \($0)\r\n" } ?? ""
            let head = "\r\n--\(boundary)\r\n\(type)Content-Range: \(contentRange(range) ?? "")\r\n\r\n"
            pieces += [.literal(Array(head.utf8)), part(range)]
        }
        pieces.append(.literal(Array("\r\n--\(boundary)--\r\n".utf8)))
        return Entity(pieces: pieces, type: "multipart/byteranges; boundary=\(boundary)", announced: 0)
    }
}

/// A valid gzip encoder without compression: stored blocks (RFC 1951, 3.2.4) in a gzip member (RFC 1952).
enum Gzip {
    static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
        var rest = bytes[...]
        repeat {
            let block = rest.prefix(0xFFFF)
            rest = rest.dropFirst(block.count)
            result.append(rest.isEmpty ? 1 : 0)
            result += little(UInt32(block.count), 2)
            result += little(~UInt32(block.count), 2)
            result += block
        } while !rest.isEmpty
        return result + little(checksum(bytes), 4) + little(UInt32(truncatingIfNeeded: bytes.count), 4)
    }

    private static func little(_ number: UInt32, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt32(8 * $0)) }
    }

    /// Returns the CRC-32 (RFC 1952, 8).
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { sum, byte in table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] ^ (sum >> 8) }
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
    }
}
