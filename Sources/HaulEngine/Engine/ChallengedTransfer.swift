import HTTPTypes
import HaulCore
import HaulTransport
import Synchronization

/// The authentication schemes that origins have accepted, so that only the first request has to be challenged.
final class KnownSchemes: Sendable {
    /// A user at an origin.
    struct Login: Hashable {
        var origin: String
        var user: String
    }

    private let schemes = Mutex<[Login: Authentication.Scheme]>([:])

    subscript(login: Login) -> Authentication.Scheme? {
        get { schemes.withLock { $0[login] } }
        set { schemes.withLock { $0[login] = newValue } }
    }
}

/// A transfer that authenticates with the scheme that the server offers: the request is repeated until no scheme is left
/// to try.
///
/// The engine sees one transfer: its sink receives only the last response. Over TLS, the password is sent with the first
/// request, as curl does; without TLS, it is sent only after the server has asked.
///
/// Unchecked because `work` has no lock: the transports access it in calls that never overlap, and each attempt makes its
/// first call after the last one of the previous attempt.
final class ChallengedTransfer: TransferSink, @unchecked Sendable {
    /// Starts an attempt.
    typealias Sender = @Sendable (TransferRequest, any TransferSink) -> any TransferHandle

    private struct Work {
        var send: Sender?
        /// The schemes used so far; the last one is that of the current attempt.
        var tried: [Authentication.Scheme] = []
        /// The scheme of the next attempt.
        var next: Authentication.Scheme?
        /// The response that asked for it, in case the attempt can't be made.
        var challenge: HTTPResponse?
    }

    private let sink: any TransferSink
    private let request: TransferRequest
    private let authentication: Authentication
    private let known: KnownSchemes
    private let login: KnownSchemes.Login
    private let attempts = AttemptHandle()
    private var work = Work()

    /// Creates a transfer that has not been started.
    ///
    /// - Parameters:
    ///   - request: The request, with all schemes that may be used.
    ///   - authentication: These schemes and the credentials.
    ///   - known: Stores the scheme that worked.
    init(
        _ sink: any TransferSink, _ request: TransferRequest, _ authentication: Authentication, known: KnownSchemes,
        at origin: String
    ) {
        self.sink = sink
        self.request = request
        self.authentication = authentication
        self.known = known
        login = KnownSchemes.Login(origin: origin, user: authentication.credentials.user)
    }

    private var isSecure: Bool { request.url.prefix(6).lowercased() == "https:" }

    /// Starts the transfer.
    ///
    /// - Returns: The handle for cancelling and waking it.
    func start(_ send: @escaping Sender) -> any TransferHandle {
        work.send = send
        work.tried = [known[login] ?? (isSecure ? .basic : nil)].compactMap(\.self)
        _ = attempts.begin { send(currentRequest, self) }
        return attempts
    }

    private var currentRequest: TransferRequest {
        var request = request
        request.authentication = nil
        switch work.tried.last {
        case .basic:
            let known = authentication.credentials
            let credentials = URLCredentials(user: known.user, password: known.password)
            request.headers.append(HTTPField(name: .authorization, value: credentials.basicAuthorization))
        case let scheme?: request.authentication = Authentication([scheme], authentication.credentials)
        case nil: break
        }
        return request
    }

    func head(_ response: HTTPResponse) -> HeadVerdict {
        work.next = ChallengeRules.next(
            status: response.status.code, challenges: response.headerFields[values: .wwwAuthenticate],
            isSecure: isSecure, tried: work.tried)
        guard work.next == nil else {
            work.challenge = response
            return .reject
        }
        if response.status.kind == .successful, let scheme = work.tried.last { known[login] = scheme }
        work.challenge = nil
        return sink.head(response)
    }

    func body(_ bytes: RawSpan) -> BodyVerdict { sink.body(bytes) }

    func woken() -> BodyVerdict { sink.woken() }

    func finished(_ outcome: TransferOutcome) {
        if let next = work.next.take(), outcome != .cancelled, let send = work.send {
            work.tried.append(next)
            let isStarted = attempts.begin { send(currentRequest, self) }
            if !isStarted { end(.cancelled) }
            return
        }
        // If this build does not support the scheme, the server's own response is the result.
        if case .failed(let error) = outcome, error.kind == .unusable, let challenge = work.challenge,
            sink.head(challenge) == .reject
        {
            return end(.rejected)
        }
        end(outcome)
    }

    private func end(_ outcome: TransferOutcome) {
        attempts.end()
        work.send = nil
        sink.finished(outcome)
    }
}
