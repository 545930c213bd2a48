import CHaulZlib

/// A streaming decoder for gzip (RFC 1952), zlib (RFC 1950) and deflate (RFC 1951).
///
/// Not thread-safe. Its pointers are never passed to other code.
@safe
final class Inflater {
    /// The format of the encoded bytes.
    enum Format {
        /// One gzip member, or several.
        case gzip
        /// The coding `deflate` in `Content-Encoding`: the zlib format or, from some servers, raw deflate.
        case deflate
    }

    /// The reason why decoding failed.
    enum Failure: Error, Hashable {
        /// The bytes are not in this format, or their checksum is wrong.
        case invalid(String)
        /// The bytes expand too far.
        case expandsTooFar
    }

    /// The decoded size up to which any expansion is allowed.
    static let harmlessBytes: Int64 = 64 << 20
    /// The maximum expansion above that size: far more than that of text, and less than that of files made to fill
    /// disks (1,030).
    static let maxExpansion: Int64 = 250
    /// The maximum number of decoded bytes per step.
    static let stepBytes = 128 << 10

    private let format: Format
    private let stream: UnsafeMutablePointer<z_stream>
    private var output = [UInt8](repeating: 0, count: stepBytes)
    private var hasBegun = false
    private var isBetweenMembers = false
    private(set) var receivedBytes: Int64 = 0
    private(set) var decodedBytes: Int64 = 0
    /// True at the end of the data; bytes after it are ignored, as in browsers.
    private(set) var isAtEnd = false

    init(_ format: Format) {
        self.format = format
        // Safe: it is initialised here, and freed only in `deinit`.
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
    }

    deinit {
        if hasBegun { unsafe inflateEnd(stream) }
        unsafe stream.deinitialize(count: 1)
        unsafe stream.deallocate()
    }

    /// True if the bytes so far are complete: none at all, or all members to their ends.
    var isWhole: Bool { isEmpty || isAtEnd || isBetweenMembers }

    /// True if no bytes were received.
    var isEmpty: Bool { receivedBytes == 0 }

    /// Decodes the start of `input` and passes up to `stepBytes` decoded bytes to `body`.
    ///
    /// - Returns: The number of used bytes. Call again until all are used and nothing was passed to `body`.
    func step(_ input: RawSpan, _ body: (RawSpan) -> Void) throws(Failure) -> Int {
        guard !isAtEnd, try begin(input) else { return input.byteCount }
        let before = output.count
        let (code, used, made) = unsafe input.withUnsafeBytes { input in
            unsafe output.withUnsafeMutableBytes { output in
                // zlib does not write to its input, and keeps no pointer beyond the call.
                unsafe stream.pointee.next_in = UnsafeMutablePointer(
                    mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
                unsafe stream.pointee.avail_in = UInt32(input.count)
                unsafe stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
                unsafe stream.pointee.avail_out = UInt32(before)
                let code = unsafe inflate(stream, Z_NO_FLUSH)
                return unsafe (
                    code, input.count - Int(stream.pointee.avail_in), before - Int(stream.pointee.avail_out)
                )
            }
        }
        receivedBytes += Int64(used)
        decodedBytes += Int64(made)
        switch code {
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END where format == .gzip: isBetweenMembers = true
        case Z_STREAM_END: isAtEnd = true
        default: throw .invalid(unsafe stream.pointee.msg.map { unsafe String(cString: $0) } ?? "zlib says \(code)")
        }
        if decodedBytes > Self.harmlessBytes, decodedBytes / Self.maxExpansion > receivedBytes { throw .expandsTooFar }
        // Safe: the bytes of an array of integers are initialised, and the span ends before the array does.
        let decoded = output
        if made > 0 { body(unsafe decoded.span.bytes.extracting(first: made)) }
        return used
    }

    /// Prepares for the first bytes, or for those of the next member.
    ///
    /// - Returns: False if there is nothing to decode.
    private func begin(_ input: RawSpan) throws(Failure) -> Bool {
        if isBetweenMembers {
            guard input.byteCount > 0 else { return false }
            // Anything other than another member is padding.
            guard unsafe input.unsafeLoad(as: UInt8.self) == 0x1F else {
                isAtEnd = true
                return false
            }
            unsafe inflateReset(stream)
            isBetweenMembers = false
        }
        if hasBegun { return true }
        guard input.byteCount > 0 else { return false }
        let bits: Int32 =
            switch format {
            case .gzip: 16 + MAX_WBITS
            // RFC 1950, section 2.2: the method is 8. Raw deflate with these bits would start with a reserved block
            // type, or with a stored block that no encoder writes.
            case .deflate: unsafe input.unsafeLoad(as: UInt8.self) & 0x0F == 8 ? MAX_WBITS : -MAX_WBITS
            }
        guard unsafe haul_inflate_begin(stream, bits) == Z_OK else { throw .invalid("not enough memory to decode") }
        hasBegun = true
        return true
    }
}
