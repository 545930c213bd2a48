import Foundation
import HTTPTypes
import HaulCore
import HaulLocal
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The system's transfer service over `URLSession`: passes calls on, and decides nothing.
///
/// There is one for each identifier as long as the process runs: the system allows one session per identifier.
final class URLSessionService: NSObject, SystemSession {
    private struct State {
        var session: URLSession?
        var tasks: [SystemTaskID: URLSessionDownloadTask] = [:]
        var delegate: (any SystemSessionDelegate)?
    }

    /// A completion handler of the app.
    private struct Completion {
        var call: @Sendable () -> Void
    }

    private static let services = Mutex<[String: URLSessionService]>([:])
    private static let completions = Mutex<[String: Completion]>([:])

    private let identifier: String
    private let settings: Settings
    private let state = Mutex(State())

    /// What a session is created with.
    struct Settings: Sendable {
        var isDiscretionary = false
        var launchesApp = true
        var sharedContainerIdentifier: String?
        /// False for a session that ends with the process: for tests without a background session.
        var isBackground = true
    }

    init(_ identifier: String, _ settings: Settings) { (self.identifier, self.settings) = (identifier, settings) }

    /// Returns the service of an identifier.
    static func service(_ identifier: String, _ configuration: SystemSessionConfiguration) -> URLSessionService {
        services.withLock { services in
            if let service = services[identifier] { return service }
            var settings = Settings()
            settings.isDiscretionary = configuration.isDiscretionary
            settings.launchesApp = configuration.launchesApp
            settings.sharedContainerIdentifier = configuration.sharedContainerIdentifier
            let service = URLSessionService(identifier, settings)
            services[identifier] = service
            return service
        }
    }

    /// Keeps the completion handler of the app until all events are handled.
    static func keep(_ completionHandler: @escaping @Sendable () -> Void, for identifier: String) {
        completions.withLock { $0[identifier] = Completion(call: completionHandler) }
    }

    /// Calls the completion handler of an identifier, on the main thread as UIKit requires.
    private static func complete(_ identifier: String) {
        guard let completion = completions.withLock({ $0.removeValue(forKey: identifier) }) else { return }
        DispatchQueue.main.async { completion.call() }
    }

    // MARK: - SystemSession

    func attach(_ delegate: any SystemSessionDelegate) {
        // The session is created when somebody receives its reports: then nothing is lost.
        state.withLock { state in
            state.delegate = delegate
            guard state.session == nil else { return }
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = 1
            state.session = URLSession(configuration: configuration, delegate: self, delegateQueue: queue)
        }
    }

    private var configuration: URLSessionConfiguration {
        guard settings.isBackground else { return .default }
        #if canImport(Darwin)
            let result = URLSessionConfiguration.background(withIdentifier: identifier)
            result.isDiscretionary = settings.isDiscretionary
            result.sharedContainerIdentifier = settings.sharedContainerIdentifier
            #if !os(macOS)
                result.sessionSendsLaunchEvents = settings.launchesApp
            #endif
        #else
            // swift-corelibs-foundation lacks background sessions.
            let result = URLSessionConfiguration.default
        #endif
        // What is cached is not what the server has.
        result.requestCachePolicy = .reloadIgnoringLocalCacheData
        result.urlCache = nil
        result.httpCookieStorage = nil
        return result
    }

    func tasks() async -> [SystemTask] {
        guard let session = state.withLock({ $0.session }) else { return [] }
        return await withCheckedContinuation { continuation in
            session.getAllTasks { tasks in
                let downloads = tasks.compactMap { $0 as? URLSessionDownloadTask }
                self.state.withLock { state in
                    for task in downloads { state.tasks[task.systemID] = task }
                }
                // One that is being cancelled or has ended still reports its end.
                continuation.resume(
                    returning: downloads.filter { $0.state == .running || $0.state == .suspended }.map(\.systemTask))
            }
        }
    }

    func start(_ request: SystemRequest, after delay: Duration) throws(DownloadError) -> SystemTaskID {
        guard let session = state.withLock({ $0.session }), let url = URL(string: request.url) else {
            throw DownloadError(.invalidRequest, "the system does not accept the URL")
        }
        var urlRequest = URLRequest(url: url)
        for header in request.headers { urlRequest.setValue(header.value, forHTTPHeaderField: header.name) }
        #if canImport(Darwin)
            urlRequest.allowsExpensiveNetworkAccess = !request.unmeteredOnly
            urlRequest.allowsConstrainedNetworkAccess = !request.unmeteredOnly
        #endif
        return begin(session.downloadTask(with: urlRequest), request.label, delay)
    }

    func start(
        resuming data: [UInt8], _ label: SessionLabel, after delay: Duration
    ) throws(DownloadError) -> SystemTaskID {
        guard let session = state.withLock({ $0.session }) else {
            throw DownloadError(.internal, "the session does not exist yet; this is a bug in Haul")
        }
        return begin(session.downloadTask(withResumeData: Data(data)), label, delay)
    }

    private func begin(_ task: URLSessionDownloadTask, _ label: SessionLabel, _ delay: Duration) -> SystemTaskID {
        // Before it runs: a task without a label is cancelled at the next launch.
        task.taskDescription = label.description
        #if canImport(Darwin)
            if delay > .zero { task.earliestBeginDate = Date(timeIntervalSinceNow: delay / .seconds(1)) }
        #endif
        state.withLock { $0.tasks[task.systemID] = task }
        task.resume()
        return task.systemID
    }

    func cancel(_ task: SystemTaskID) { state.withLock { $0.tasks[task] }?.cancel() }

    func cancelKeeping(_ id: SystemTaskID) {
        guard let task = state.withLock({ $0.tasks[id] }) else {
            let unknown = SystemTask(id: id, label: nil, received: 0)
            // Not before this call has returned.
            return DispatchQueue.global().async { self.delegate?.resumeData(unknown, nil, nil) }
        }
        task.cancel { data in
            DispatchQueue.global().async {
                self.delegate?.resumeData(task.systemTask, data.map { [UInt8]($0) }, task.systemResponse)
            }
        }
    }

    private var delegate: (any SystemSessionDelegate)? { state.withLock { $0.delegate } }
}

extension URLSessionService: URLSessionDownloadDelegate {
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        var task = downloadTask.systemTask
        task.received = totalBytesWritten
        let total = totalBytesExpectedToWrite >= 0 ? totalBytesExpectedToWrite : nil
        delegate?.received(task, total: total, downloadTask.systemResponse)
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        delegate?.delivered(downloadTask.systemTask, at: location.path, downloadTask.systemResponse)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let failure = error.map { SystemFailure(Self.error($0), resumeData: Self.resumeData($0)) }
        delegate?.completed(task.systemTask, failure, task.systemResponse)
        state.withLock { _ = $0.tasks.removeValue(forKey: task.systemID) }
    }

    #if canImport(Darwin)
        func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
            delegate?.reportedAll { [identifier] in Self.complete(identifier) }
        }
    #endif

    private static func resumeData(_ error: any Error) -> [UInt8]? {
        #if canImport(Darwin)
            let data = (error as NSError).userInfo[NSURLSessionDownloadTaskResumeData] as? Data
            return data.map { [UInt8]($0) }
        #else
            // swift-corelibs-foundation has no resume data.
            return nil
        #endif
    }

    /// Converts an error of the system.
    static func error(_ error: any Error) -> DownloadError {
        let cause = (error as NSError).localizedDescription
        func failure(_ code: DownloadError.Code, _ message: String, _ detail: DownloadError.Detail? = nil)
            -> DownloadError
        {
            DownloadError(code, message, cause: cause, detail: detail)
        }
        switch (error as? URLError)?.code {
        case .notConnectedToInternet, .dataNotAllowed:
            return failure(.connectionFailed, "no network connection", .noNetwork)
        case .cannotFindHost, .dnsLookupFailed:
            return failure(.nameNotResolved, "the host name can't be resolved")
        case .timedOut: return failure(.timedOut, "the system has given up the transfer")
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
            .serverCertificateNotYetValid, .serverCertificateHasUnknownRoot,
            .appTransportSecurityRequiresSecureConnection:
            return failure(.tlsFailed, "the system does not trust the connection")
        case .httpTooManyRedirects, .redirectToNonExistentLocation:
            return failure(.redirectRefused, "the server's redirects can't be followed")
        case .cannotCreateFile, .cannotWriteToFile, .cannotMoveFile, .cannotOpenFile:
            return failure(.fileFailed, "the system can't write the file")
        case .cancelled: return failure(.connectionFailed, "the system has cancelled the transfer")
        default: return failure(.connectionFailed, "the transfer has failed")
        }
    }
}

extension URLSessionTask {
    fileprivate var systemID: SystemTaskID { SystemTaskID(rawValue: taskIdentifier) }

    fileprivate var systemTask: SystemTask {
        SystemTask(
            id: systemID, label: taskDescription.flatMap { SessionLabel($0) }, received: countOfBytesReceived)
    }

    fileprivate var systemResponse: SystemResponse? {
        guard let response = response as? HTTPURLResponse else { return nil }
        var head = HTTPResponse(status: HTTPResponse.Status(code: response.statusCode))
        for (name, value) in response.allHeaderFields {
            guard let name = (name as? String).flatMap({ HTTPField.Name($0) }), let value = value as? String else {
                continue
            }
            head.headerFields[name] = value
        }
        return SystemResponse(head, url: response.url?.absoluteString)
    }
}
