import CHaulCurl

/// A transfer of libcurl's, with the memory that it needs to stay in place.
///
/// It belongs to the loop's thread. Unsafe throughout: pointers of libcurl's live from `init` to `deinit`, and nobody else has them.
@safe final class CurlEasy {
    /// What libcurl calls it.
    let pointer: OpaquePointer
    private let error: UnsafeMutablePointer<CChar>
    private let key: UnsafeMutablePointer<CInt>
    private var lines: OpaquePointer?

    /// Makes one; nil when there is no memory.
    init?() {
        guard let pointer = unsafe haul_curl_easy_make() else { return nil }
        unsafe self.pointer = unsafe pointer
        unsafe error = .allocate(capacity: Int(HAUL_CURL_ERROR_SIZE))
        unsafe error.initialize(repeating: 0, count: Int(HAUL_CURL_ERROR_SIZE))
        unsafe key = .allocate(capacity: 1)
        unsafe key.initialize(to: 0)
        // A libcurl without SSH knows no such option, and needs none.
        _ = unsafe haul_curl_set_host_key_place(pointer, key)
    }

    deinit {
        unsafe haul_curl_easy_free(pointer)
        unsafe haul_curl_lines_free(lines)
        unsafe error.deallocate()
        unsafe key.deallocate()
    }

    /// Where that is.
    var address: UInt { unsafe UInt(bitPattern: pointer) }

    /// What libcurl wrote about the end; it may hold names of hosts.
    var errorText: String { unsafe String(cString: error) }

    /// What became of the server's host key, where SSH is spoken.
    var hostKey: haul_curl_host_key { haul_curl_host_key(rawValue: UInt32(max(0, unsafe key.pointee))) }

    /// The names that the server's certificate is for, as far as they are known.
    var certificateNames: [String] {
        guard let text = unsafe haul_curl_easy_certificate_names(pointer) else { return [] }
        return unsafe String(cString: text).split(separator: ",").map { name in
            String(name.drop { $0 == " " }).replacing("DNS:", with: "").replacing("IP Address:", with: "")
        }
    }

    /// Sets an option, and says whether libcurl took it.
    ///
    /// libcurl copies text.
    func set(_ setting: CurlSetting) -> Bool {
        switch setting {
        case .text(let option, let value): unsafe haul_curl_set_text(pointer, option, value) == 0
        case .number(let option, let value): unsafe haul_curl_set_number(pointer, option, value) == 0
        }
    }

    /// Sets the header lines, once.
    func set(headerLines: [String]) {
        for line in headerLines { unsafe lines = haul_curl_lines_add(lines, line) ?? lines }
        _ = unsafe haul_curl_set_headers(pointer, lines)
    }

    /// Says who hears it.
    ///
    /// The listener isn't retained: it has to outlive the transfer.
    func listen(_ listener: CurlTransfer) {
        let context = unsafe Unmanaged.passUnretained(listener).toOpaque()
        _ = unsafe haul_curl_set_listener(
            pointer, context,
            { bytes, size, count, context in
                guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
                let line = unsafe RawSpan(_unsafeStart: bytes, byteCount: size * count)
                return unsafe Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue().receivedHeader(line)
            },
            { bytes, size, count, context in
                guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
                let piece = unsafe RawSpan(_unsafeStart: bytes, byteCount: size * count)
                return unsafe Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue().received(piece)
            }, error)
    }

    /// Takes a pause back; the listener may hear bytes before this returns.
    func resume() { _ = unsafe haul_curl_easy_resume(pointer) }

    /// The TLS session that it runs over; 0 if nobody would tell how that ends.
    var session: UInt { unsafe haul_curl_easy_session(pointer) }

    /// What is known of the transfer; nil: nothing.
    func fact(_ fact: haul_curl_fact) -> Int64? {
        let value = unsafe haul_curl_easy_fact(pointer, fact)
        return value < 0 ? nil : value
    }
}
