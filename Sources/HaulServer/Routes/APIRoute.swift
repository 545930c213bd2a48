package import HTTPTypes
package import HummingbirdCore

/// One operation: where it is, what is asked of requests for it, and what answers them.
package struct APIRoute: Sendable {
    /// The method.
    package let method: HTTPRequest.Method
    /// The path as the API's document has it: `{id}` stands for a download.
    package let path: String
    /// What is asked of requests.
    package let rule: RouteRule
    /// The largest body that is read.
    package let largestBody: Int
    /// Answers a request.
    package let response: @Sendable (APIRequest) async throws -> Response

    /// Makes a route.
    package init(
        _ method: HTTPRequest.Method, _ path: String, rule: RouteRule = .api,
        largestBody: Int = APIRequest.largestBody,
        response: @escaping @Sendable (APIRequest) async throws -> Response
    ) {
        (self.method, self.path, self.rule, self.largestBody) = (method, path, rule, largestBody)
        self.response = response
    }
}

/// All operations of the API.
package enum APIRoutes {
    /// The routes, over what they work on.
    package static func all(_ state: DaemonState) -> [APIRoute] {
        DownloadRoutes.all(state) + OneDownloadRoutes.all(state) + SystemRoutes.all(state) + SettingsRoutes.all(state)
    }
}
