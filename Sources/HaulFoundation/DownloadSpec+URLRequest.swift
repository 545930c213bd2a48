public import HaulCore

#if canImport(FoundationNetworking)
    import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

extension DownloadSpec {
    /// Creates a spec from a request: its URL, its headers, and its timeout as the longest time without data, unless
    /// that is the standard one of 60 seconds.
    ///
    /// `Authorization`, `Cookie` and most other headers are sent only to the origin of the URL, also after a redirect.
    /// The cache policy and the other properties of the request have no counterpart and are ignored.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if the request has no URL, another method than `GET`, or a
    ///   body.
    public init(_ request: URLRequest, destination: Destination) throws(DownloadError) {
        guard let url = request.url else { throw DownloadError(.invalidRequest, "the request has no URL") }
        let method = request.httpMethod ?? "GET"
        guard method == "GET", request.httpBody == nil, request.httpBodyStream == nil else {
            throw DownloadError(.invalidRequest, "only GET requests without a body can be downloaded, not \(method)")
        }
        self.init(url: url, destination: destination)
        access.headers = (request.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }
            .map { DownloadSpec.Header(name: $0.key, value: $0.value) }
        if request.timeoutInterval.isFinite, request.timeoutInterval > 0, request.timeoutInterval != 60 {
            transfer.idleTimeout = .milliseconds(Int64(min(request.timeoutInterval, 86_400) * 1000))
        }
    }
}
