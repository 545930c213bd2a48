public import HaulCore
public import HaulManager

#if canImport(FoundationNetworking)
    import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

extension DownloadSpec {
    /// Creates a spec from a request: its URL, method, body and headers, and its timeout as the longest time without data,
    /// unless that is the standard one of 60 seconds.
    ///
    /// `Authorization`, `Cookie` and most other headers are sent only to the origin of the URL, also after a redirect.
    /// The cache policy and the other properties of the request have no counterpart and are ignored. A request with a
    /// body or another method than `GET` is sent over one connection, and its file is never resumed: see
    /// `DownloadSpec.Source.method`.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if the request has no URL, a method that can't be used, a body
    ///   with `GET`, or a stream as its body, which can't be sent again after a redirect.
    public init(_ request: URLRequest, destination: Destination) throws(DownloadError) {
        guard let url = request.url else { throw DownloadError(.invalidRequest, "the request has no URL") }
        guard request.httpBodyStream == nil else {
            throw DownloadError(.invalidRequest, "the request has a stream as its body: use httpBody")
        }
        self.init(url: url, destination: destination)
        let method = request.httpMethod ?? "GET"
        source.method = method == "GET" ? nil : method
        // Its type is among the headers.
        source.body = request.httpBody.map { DownloadSpec.RequestBody($0) }
        guard source.body == nil || method != "GET" else {
            throw DownloadError(.invalidRequest, "a GET request can't have a body: use POST")
        }
        try source.check()
        access.headers = (request.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }
            .filter { $0.key.lowercased() != "content-length" }
            .map { DownloadSpec.Header(name: $0.key, value: $0.value) }
        if request.timeoutInterval.isFinite, request.timeoutInterval > 0, request.timeoutInterval != 60 {
            transfer.idleTimeout = .milliseconds(Int64(min(request.timeoutInterval, 86_400) * 1000))
        }
    }
}

extension DownloadManager {
    /// Adds a download of a request to the default folder, which is created if it is missing.
    ///
    /// - Throws: Like `DownloadSpec.init(_:destination:)`; `DownloadError` with code `invalidRequest` if the configuration
    ///   has no folder, `fileFailed` if the folder can't be created.
    @discardableResult
    public func add(_ request: URLRequest) async throws(DownloadError) -> Download {
        try await add(DownloadSpec(request, destination: .folder(path: try await defaultFolder())))
    }
}
