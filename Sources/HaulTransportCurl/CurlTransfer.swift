import CHaulCurl
import HTTPTypes
import HaulCore
import HaulTransport
import Synchronization

/// A running transfer: receives libcurl's callbacks, asks the sink, and applies its verdicts.
///
///     waiting -> receiving -> ended
///
/// A conclusion is the outcome once all gathered bytes are delivered and no pause is left. The first one counts, except
/// that the sink's own `enough` replaces it. A transfer cannot be removed inside libcurl's callbacks: one that is over
/// returns *pause* until the loop ends it.
///
/// Unchecked because everything except `cancel`, `wake` and the atomic `isCancelled` belongs to the loop's thread.
final class CurlTransfer: TransferHandle, @unchecked Sendable {
    enum Phase: Hashable {
        case waiting, receiving, ended
    }

    /// The way in which the size of an FTP file is found out.
    enum Sizing: Hashable {
        /// The server reports it.
        case reported
        /// Only libcurl knows one, which may be wrong: the transfer is repeated, and its end counts.
        case unknown, unknownAndRepeated
        /// libcurl believed that the file is empty, and may not have read it: the transfer is repeated, and its end counts.
        ///
        /// - Parameter isReported: True if the server said so, too.
        case confirmed(isReported: Bool)
    }

    /// The number of bytes that are gathered before the sink is called; libcurl delivers at most 16 KiB at a time.
    static let gatherLimit = 256 << 10

    let request: TransferRequest
    let sink: any TransferSink
    let loop: CurlLoop

    var phase = Phase.waiting
    var easy: CurlEasy?
    var isAdded = false
    var kind = CurlTarget.Kind.http
    private var origin = ""
    var gathered: [UInt8] = []
    /// The number of bytes that the response has announced and that are still missing; nil if libcurl counts them, or
    /// no length is known.
    var left: Int64?
    /// Decodes the chunks of the body; nil if it has none.
    var chunks: ChunkDecoder?
    /// The TLS session whose end ends the body; nil if the body ends otherwise.
    var session: UInt?
    var conclusion: TransferOutcome?
    /// True if the sink wants no bytes now.
    var isPaused = false
    /// True if libcurl was told to pause.
    var isHeld = false
    /// The time at which a pause ends.
    var deadline: ContinuousClock.Instant?
    /// True if the loop will call `settle`.
    var isTouched = false
    var reader = CurlHeadReader()
    var replies = FTPReplies()
    /// A head that another may follow: the first responses of a handshake are not the final one.
    var pendingHead: HTTPResponse?
    /// The number of such heads.
    var challenges = 0
    /// A server that challenges one request more often never accepts a login; a handshake has at most three rounds.
    static let challengeLimit = 16
    /// The number of bytes of requests that had been sent when it arrived.
    var challengedBytes: Int64 = 0
    /// The key files that have not been tried.
    var sshKeys: ArraySlice<String> = []
    var sizing = Sizing.reported
    /// The number of bytes that an announcement promised, which a repeated transfer must have.
    private var leastBytes: Int64 = 0
    private var receivedBytes: Int64 = 0
    /// True while libcurl removes the transfer.
    var isLeaving = false
    private var silence = SilentRound()
    private let isCancelled = Atomic(false)

    init(_ request: TransferRequest, sink: any TransferSink, loop: CurlLoop) {
        self.request = request
        self.sink = sink
        self.loop = loop
    }

    // MARK: From any thread

    func cancel() {
        isCancelled.store(true, ordering: .relaxed)
        loop.send(.cancel(self))
    }

    func wake() { loop.send(.wake(self)) }

    // MARK: Start and end

    /// Passes the request to libcurl.
    func begin() {
        do throws(TransportError) {
            let target = try CurlTarget(request.url)
            (kind, origin) = (target.kind, target.origin)
            if kind == .sftp { sshKeys = loop.configuration.sshKeys[...] }
            try add(target)
        } catch {
            conclude(.failed(error))
        }
    }

    private func add(_ target: CurlTarget) throws(TransportError) {
        guard unsafe haul_curl_speaks(kind.curlScheme) != 0 else {
            throw TransportError(.unusable, "the installed libcurl does not support \(kind.rawValue)")
        }
        try checkCredentials()
        guard let easy = CurlEasy() else { throw TransportError(.other, "no memory") }
        var settings = CurlSettings(
            request: request, target: target, configuration: loop.configuration, offset: asked?.first ?? 0,
            sshKey: sshKeys.popFirst())
        settings.isLastSSHKey = sshKeys.isEmpty
        if let body = request.body, kind.isWeb, !easy.set(body: body) { throw TransportError(.other, "no memory") }
        for setting in settings.list where !easy.set(setting) && setting.isNeeded {
            throw TransportError(.unusable, "the installed libcurl does not support this request")
        }
        if loop.doubtfulServers.remove(target.origin) != nil { _ = easy.set(.flag(haul_curl_fresh_connect, true)) }
        easy.set(headerLines: settings.headerLines)
        easy.listen(self)
        if !kind.isWeb { easy.watch(self) }
        if kind.isFTP { easy.tellCommands(to: self) }
        self.easy = easy
        try add()
    }

    private func add() throws(TransportError) {
        isLeaving = false
        isAdded = loop.add(self)
        guard isAdded else { throw TransportError(.other, "libcurl rejected the transfer") }
    }

    /// Rejects control characters: a line break in a password would be a second command on FTP's control connection.
    private func checkCredentials() throws(TransportError) {
        let credentials = [request.authentication?.credentials, request.proxy?.credentials].compactMap(\.self)
        let bytes = credentials.flatMap { Array($0.user.utf8) + Array($0.password.utf8) }
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw TransportError(.unusable, "a user name or password contains a control character")
        }
    }

    /// The range that is requested from a file server.
    var asked: CurlRange? {
        kind.isWeb ? nil : request.headers[.range].flatMap { CurlRange(parsing: $0) }
    }

    /// Tries another key file over a new connection; returns false if there is none.
    private func tryNextKey() -> Bool {
        guard !sshKeys.isEmpty, let target = try? CurlTarget(request.url) else { return false }
        loop.remove(self)
        return (try? add(target)) != nil
    }

    /// Repeats an FTP transfer of which nothing was used, so that its end is the end of the file.
    ///
    /// The handle remains, because some servers accept only its TLS session for data.
    func repeatIgnoringSize(_ sizing: Sizing) -> Bool {
        guard asked?.first ?? 0 == 0, let easy, easy.set(.flag(haul_curl_ignore_size, true)) else { return false }
        _ = easy.set(.flag(haul_curl_fresh_connect, false))
        loop.remove(self)
        self.sizing = sizing
        leastBytes = max(replies.announced ?? 0, replies.size ?? 0)
        (replies, conclusion, isHeld) = (FTPReplies(), nil, false)
        do throws(TransportError) { try add() } catch { conclude(.failed(error)) }
        return true
    }

    /// Sets the outcome, unless it is known already.
    func conclude(_ outcome: TransferOutcome) {
        guard conclusion == nil else { return }
        conclusion = outcome
        if case .failed = outcome, kind.isFTP { loop.doubtfulServers.insert(origin) }
        loop.touch(self)
    }

    /// Ends the transfer, unless it has ended.
    func end(_ outcome: TransferOutcome) {
        guard phase != .ended else { return }
        phase = .ended
        gathered = []
        loop.remove(self)
        loop.forget(self)
        easy = nil
        sink.finished(outcome)
    }

    // MARK: Callbacks of libcurl

    /// Handles a line of an HTTP head or of a file server's replies; returns the number of bytes consumed.
    func receivedHeader(_ line: RawSpan) -> Int {
        // Trailers after a body are ignored.
        guard phase == .waiting else { return line.byteCount }
        guard kind.isWeb else {
            replies.take(line.bytes)
            return line.byteCount
        }
        switch reader.take(line.bytes) {
        case .more: return line.byteCount
        case .broken(let why):
            conclude(.failed(TransportError(.badResponse, why)))
            return 0
        case .tooLarge:
            conclude(.failed(TransportError(.headTooLarge, "limit: 1 MiB")))
            return 0
        case .head(let head):
            guard mayBeHandshake(head) else {
                deliver(head)
                return conclusion == nil ? line.byteCount : 0
            }
            challenges += 1
            guard challenges < Self.challengeLimit else {
                deliver(head)
                conclude(.failed(TransportError(.badResponse, "the server asks for the login again and again")))
                return 0
            }
            challengedBytes = easy?.fact(haul_curl_request_bytes) ?? 0
            pendingHead = head
            return conclusion == nil ? line.byteCount : 0
        }
    }

    /// Notes a command that libcurl sends to an FTP server.
    func sent(_ command: RawSpan) { replies.sent(command.bytes) }

    /// Handles bytes of the body; returns the number of bytes consumed, or the request to pause.
    func received(_ bytes: RawSpan) -> Int {
        silence = SilentRound()
        if phase == .waiting { deliverWaitingHead(isAtEnd: false) }
        guard phase == .receiving, conclusion == nil, !isPaused else { return hold() }
        if gathered.count + bytes.byteCount > Self.gatherLimit {
            flush()
            guard conclusion == nil, !isPaused else { return hold() }
        }
        guard chunks != nil else {
            gather(bytes)
            return bytes.byteCount
        }
        gather(chunks?.decode(bytes.bytes) ?? [])
        return bytes.byteCount
    }

    /// True if libcurl must not wait any longer for a server that is silent.
    ///
    /// To close an SFTP file, libcurl waits for the server's confirmation, for any time, and everything else waits with
    /// it. Nothing depends on that confirmation. The last reply of an FTP server counts, unless nobody wants the file any more.
    var isStuck: Bool {
        isLeaving || isCancelled.load(ordering: .relaxed)
            || kind == .sftp && silence.isTooLong(round: loop.round, now: .now)
    }

    /// Handles the end that libcurl reports.
    func ended(_ number: Int32) {
        let code = CurlCode(rawValue: number)
        loop.remove(self)
        guard !isCancelled.load(ordering: .relaxed) else { return end(.cancelled) }
        guard conclusion == nil else { return loop.touch(self) }
        if kind == .sftp, phase == .waiting, code == .loginDenied, tryNextKey() { return }
        if kind.isFTP, phase == .waiting, code == .ok, sizing == .reported, repeatIgnoringSize(emptiness) { return }
        // libcurl treats half a head as the end of a response.
        if phase == .waiting, code == .ok, isUnansweredChallenge {
            return conclude(.failed(TransportError(.cut, "the connection was lost during login")))
        }
        if phase == .waiting { code == .ok ? deliverWaitingHead(isAtEnd: true) : deliverRefusal(code) }
        guard conclusion == nil, phase != .ended else { return loop.touch(self) }
        let isCut = session.map { haul_curl_session_ended($0) == 0 } ?? false
        switch code {
        case .ok? where isCut:
            conclude(.failed(TransportError(.cut, "the connection was closed without the end of TLS")))
        case .ok?
        where phase == .receiving && left ?? 0 == 0 && chunks?.isAtEnd ?? true && receivedBytes >= leastBytes:
            conclude(.complete)
        case .ok?: conclude(.failed(TransportError(.cut, "the server closed the connection before the end")))
        case _: conclude(.failed(TransportError(failure(code, number))))
        }
    }

    private func failure(_ code: CurlCode?, _ number: Int32) -> CurlFailure {
        var failure = CurlFailure(code, number, of: request)
        guard let easy else { return failure }
        failure.text = easy.errorText
        failure.proxyError = easy.fact(haul_curl_proxy_error)
        failure.connectStatus = request.proxy == nil ? nil : easy.fact(haul_curl_connect_code)
        failure.isReady = easy.fact(haul_curl_ready_after) ?? 0 > 0
        failure.errno = easy.fact(haul_curl_os_errno).map { Int32(truncatingIfNeeded: $0) } ?? 0
        failure.hasReplied = replies.code > 0
        failure.hostKey = kind == .sftp ? easy.hostKey : nil
        failure.certificateNames = easy.certificateNames
        return failure
    }

    private func hold() -> Int {
        isHeld = true
        return Int(HAUL_CURL_PAUSE)
    }

    /// Gathers the decoded bytes of chunks.
    private func gather(_ bytes: [UInt8]) {
        // The bytes of an array of integers are initialised, and the span ends before the array does.
        if !bytes.isEmpty { gather(unsafe bytes.span.bytes) }
        guard chunks?.isBroken == true else { return }
        conclude(.failed(TransportError(.badResponse, "the body's chunks are malformed")))
    }

    private func gather(_ bytes: RawSpan) {
        let count = Int(min(left ?? .max, Int64(bytes.byteCount)))
        left = left.map { $0 - Int64(count) }
        receivedBytes += Int64(count)
        // The span is valid for the whole call and the array copies it.
        unsafe bytes.extracting(first: count).withUnsafeBytes { unsafe gathered.append(contentsOf: $0) }
        loop.touch(self)
        if count < bytes.byteCount {
            // More than the size that the server reported: the file has grown, or was requested without an end.
            conclude(
                !kind.isWeb && asked?.end == nil
                    ? .failed(TransportError(.badResponse, "the file is longer than the server announced")) : .complete)
        } else if left == 0, kind.isWeb || asked?.end != nil {
            conclude(.complete)
        }
    }
}

extension RawSpan {
    /// A copy of the bytes.
    fileprivate var bytes: [UInt8] {
        // The array copies the span, which is valid for the whole call.
        unsafe withUnsafeBytes { unsafe Array($0) }
    }
}

extension CurlSetting {
    /// True if a transfer must not continue without the option; older versions lack a few that are optional.
    var isNeeded: Bool {
        switch self {
        case .text: true
        case .number(let option, _):
            ![haul_curl_quick_exit, haul_curl_idle_seconds, haul_curl_certificate_facts].contains(option)
        }
    }
}
