import HTTPTypes
import HaulCore
import HaulTransport
import Logging
import Synchronization

/// Logs each request and the head of each response, at the level `debug`.
///
/// It is put in front of a transport only if that level is logged, so otherwise it costs nothing. No line contains
/// credentials, cookies, or the values of a query.
struct LoggedTransport: Transport {
    private let base: any Transport
    private let log: TransferLog

    /// Returns the transport itself, or one that logs what it does.
    static func wrapping(_ base: any Transport, _ log: TransferLog) -> any Transport {
        log.isOn ? LoggedTransport(base: base, log: log) : base
    }

    func start(_ request: TransferRequest, sink: any TransferSink) -> any TransferHandle {
        base.start(request, sink: LoggedSink(sink, log, number: log.sends(request)))
    }

    func eventLoopExecutor() -> (any TaskExecutor)? { base.eventLoopExecutor() }

    func shutdown() async { await base.shutdown() }
}

/// The log of the requests of one engine, which are numbered.
final class TransferLog: Sendable {
    private let logger: Logger
    private let last = Atomic<Int>(0)

    /// Creates a log.
    init(_ logger: Logger) { self.logger = logger }

    /// True if requests are logged.
    var isOn: Bool { logger.logLevel <= .debug }

    /// Logs a request.
    ///
    /// - Returns: Its number.
    fileprivate func sends(_ request: TransferRequest) -> Int {
        let number = last.wrappingAdd(1, ordering: .relaxed).newValue
        var parts = ["\(request.method) \(URLRedaction.shown(request.url))"]
        parts += Self.lines(request.headers, [.range, .ifRange, .ifModifiedSince])
        if let proxy = request.proxy { parts.append("through the proxy \(proxy)") }
        logger.debug("request \(number): \(parts.joined(separator: "; "))")
        return number
    }

    /// Logs the head of the response to a request.
    fileprivate func receives(_ response: HTTPResponse, number: Int) {
        var parts = ["\(response.status.code)"]
        if let location = response.headerFields[.location] {
            parts.append("Location: \(URLRedaction.shown(location))")
        }
        parts += Self.lines(response.headerFields, Self.shown)
        logger.debug("response \(number): \(parts.joined(separator: "; "))")
    }

    private static let shown: [HTTPField.Name] = [
        .contentLength, .contentRange, .acceptRanges, .eTag, .lastModified, .contentType, .contentEncoding, .retryAfter,
    ]

    private static func lines(_ headers: HTTPFields, _ names: [HTTPField.Name]) -> [String] {
        names.compactMap { name in
            headers[name].map { "\(name.rawName): \(URLRedaction.quoted($0, width: 200))" }
        }
    }
}

/// A sink that logs the head, and passes everything on.
private final class LoggedSink: TransferSink {
    private let sink: any TransferSink
    private let log: TransferLog
    private let number: Int

    init(_ sink: any TransferSink, _ log: TransferLog, number: Int) {
        (self.sink, self.log, self.number) = (sink, log, number)
    }

    func head(_ response: HTTPResponse) -> HeadVerdict {
        log.receives(response, number: number)
        return sink.head(response)
    }

    func body(_ bytes: RawSpan) -> BodyVerdict { sink.body(bytes) }

    func woken() -> BodyVerdict { sink.woken() }

    func finished(_ outcome: TransferOutcome) { sink.finished(outcome) }
}
