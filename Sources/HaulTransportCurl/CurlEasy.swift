import CHaulCurl

/// A libcurl easy handle, with the memory that must stay in place for it.
///
/// It belongs to the loop's thread. Unsafe throughout: libcurl's pointers are valid from `init` to `deinit`, and no
/// other object has them.
@safe final class CurlEasy {
    /// The libcurl handle.
    let pointer: OpaquePointer
    private let error: UnsafeMutablePointer<CChar>
    private let key: UnsafeMutablePointer<CInt>
    private var lines: OpaquePointer?

    /// Creates a handle; nil if there is no memory.
    init?() {
        guard let pointer = unsafe haul_curl_easy_make() else { return nil }
        unsafe self.pointer = unsafe pointer
        unsafe error = .allocate(capacity: Int(HAUL_CURL_ERROR_SIZE))
        unsafe error.initialize(repeating: 0, count: Int(HAUL_CURL_ERROR_SIZE))
        unsafe key = .allocate(capacity: 1)
        unsafe key.initialize(to: 0)
        // A libcurl without SSH does not know the option, and does not need it.
        _ = unsafe haul_curl_set_host_key_place(pointer, key)
    }

    deinit {
        unsafe haul_curl_easy_free(pointer)
        unsafe haul_curl_lines_free(lines)
        unsafe error.deallocate()
        unsafe key.deallocate()
    }

    /// The address of the handle.
    var address: UInt { unsafe UInt(bitPattern: pointer) }

    /// libcurl's error message, which may contain host names.
    var errorText: String { unsafe String(cString: error) }

    /// The result of checking the server's host key, if SSH is used.
    var hostKey: haul_curl_host_key { haul_curl_host_key(rawValue: UInt32(max(0, unsafe key.pointee))) }

    /// The names in the server's certificate, as far as they are known.
    var certificateNames: [String] {
        guard let text = unsafe haul_curl_easy_certificate_names(pointer) else { return [] }
        return unsafe String(cString: text).split(separator: ",").map { name in
            String(name.drop { $0 == " " }).replacing("DNS:", with: "").replacing("IP Address:", with: "")
        }
    }

    /// Sets an option, and returns true if libcurl accepted it.
    ///
    /// libcurl copies text.
    func set(_ setting: CurlSetting) -> Bool {
        switch setting {
        case .text(let option, let value): unsafe haul_curl_set_text(pointer, option, value) == 0
        case .number(let option, let value): unsafe haul_curl_set_number(pointer, option, value) == 0
        }
    }

    /// Sets the body, which libcurl copies, and returns true if libcurl accepted it.
    func set(body: [UInt8]) -> Bool {
        // Safe: the bytes of an array of integers are initialised, and it outlives the call.
        unsafe body.withUnsafeBytes { bytes in
            unsafe haul_curl_set_body(pointer, bytes.baseAddress, Int64(bytes.count)) == 0
        }
    }

    /// Sets the header lines.
    ///
    /// Must be called at most once.
    func set(headerLines: [String]) {
        for line in headerLines { unsafe lines = haul_curl_lines_add(lines, line) ?? lines }
        _ = unsafe haul_curl_set_headers(pointer, lines)
    }

    /// Sets the transfer that receives libcurl's callbacks.
    ///
    /// It is not retained: it must outlive the handle's use.
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

    /// Has libcurl ask the transfer whether it is stuck.
    ///
    /// It is not retained: it must outlive the handle's use.
    func watch(_ listener: CurlTransfer) {
        let context = unsafe Unmanaged.passUnretained(listener).toOpaque()
        _ = unsafe haul_curl_set_watch(pointer, context) { context, _, _, _, _ in
            guard let context = unsafe context else { return 0 }
            return unsafe Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue().isStuck ? 1 : 0
        }
    }

    /// Has libcurl tell the transfer which commands it sends to an FTP server.
    ///
    /// It is not retained: it must outlive the handle's use.
    func tellCommands(to listener: CurlTransfer) {
        let context = unsafe Unmanaged.passUnretained(listener).toOpaque()
        _ = unsafe haul_curl_set_log(pointer, context) { _, kind, bytes, count, context in
            guard kind == haul_curl_sent_command.rawValue, let bytes = unsafe bytes, let context = unsafe context else {
                return 0
            }
            let command = unsafe RawSpan(_unsafeStart: bytes, byteCount: count)
            unsafe Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue().sent(command)
            return 0
        }
    }

    /// Ends a pause; callbacks may deliver bytes before this returns.
    func resume() { _ = unsafe haul_curl_easy_resume(pointer) }

    /// The TLS session of the transfer; 0 if the TLS library does not report how it ends.
    var session: UInt { unsafe haul_curl_easy_session(pointer) }

    /// Returns a fact about the transfer; nil if it is unknown.
    func fact(_ fact: haul_curl_fact) -> Int64? {
        let value = unsafe haul_curl_easy_fact(pointer, fact)
        return value < 0 ? nil : value
    }
}
