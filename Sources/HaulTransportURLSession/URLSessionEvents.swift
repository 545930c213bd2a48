import Foundation
import HaulTransport
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The delegate of a session: passes each call to the transfer of its task.
///
/// All calls come from the lane's queue.
final class URLSessionEvents: NSObject, URLSessionDataDelegate {
    private let transfers = Mutex<[Int: URLSessionTransfer]>([:])

    /// Passes the calls for a task to a transfer from now on.
    func add(_ transfer: URLSessionTransfer, of task: URLSessionTask) {
        transfers.withLock { $0[task.taskIdentifier] = transfer }
    }

    /// Ignores a task from now on.
    func remove(_ task: URLSessionTask) { transfers.withLock { _ = $0.removeValue(forKey: task.taskIdentifier) } }

    private subscript(task: URLSessionTask) -> URLSessionTransfer? {
        transfers.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let isWanted = (response as? HTTPURLResponse).map { self[dataTask]?.receive($0) ?? false } ?? false
        completionHandler(isWanted ? .allow : .cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        self[dataTask]?.receive(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        self[task]?.receivedEnd(error)
        remove(task)
    }

    /// Follows no redirect: the response itself is delivered.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    #if canImport(FoundationNetworking)
        /// Ends the task: FoundationNetworking delivers the response before the challenge, and can't continue without a
        /// login.
        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            self[task]?.receivedEnd(nil)
            completionHandler(.cancelAuthenticationChallenge, nil)
        }
    #else
        /// Logs in as the request says, and accepts any certificate if the request does.
        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            let space = challenge.protectionSpace
            switch space.authenticationMethod {
            case NSURLAuthenticationMethodServerTrust:
                guard self[task]?.isInsecure == true, let trust = space.serverTrust else {
                    return completionHandler(.performDefaultHandling, nil)
                }
                completionHandler(.useCredential, URLCredential(trust: trust))
            case NSURLAuthenticationMethodClientCertificate: completionHandler(.performDefaultHandling, nil)
            case let method:
                let login = challenge.previousFailureCount == 0 ? self[task]?.credentials(for: method) : nil
                guard let login else { return completionHandler(.rejectProtectionSpace, nil) }
                let credential = URLCredential(user: login.user, password: login.password, persistence: .none)
                completionHandler(.useCredential, credential)
            }
        }
    #endif
}
