package import HTTPTypes
package import HummingbirdCore

/// One operation: its path, the checks for its requests, and its handler.
package struct APIRoute: Sendable {
    /// The method.
    package let method: HTTPRequest.Method
    /// The path as in the API document, with `{id}` for a download.
    package let path: String
    /// The checks for requests.
    package let rule: RouteRule
    /// The scope that a named token needs.
    package let scope: TokenScope
    /// The maximum size of a body.
    package let largestBody: Int
    /// Responds to a request.
    package let response: @Sendable (APIRequest) async throws -> Response

    /// Makes a route.
    ///
    /// - Parameter scope: The scope that it needs; nil: `read` for GET, `manage` for all others.
    package init(
        _ method: HTTPRequest.Method, _ path: String, rule: RouteRule = .api, scope: TokenScope? = nil,
        largestBody: Int = APIRequest.largestBody,
        response: @escaping @Sendable (APIRequest) async throws -> Response
    ) {
        (self.method, self.path, self.rule, self.largestBody) = (method, path, rule, largestBody)
        self.scope = scope ?? (method == .get ? .read : .manage)
        self.response = response
    }
}

/// All operations of the API.
package enum APIRoutes {
    /// Returns the routes for the state of a daemon.
    package static func all(_ state: DaemonState) -> [APIRoute] {
        DownloadRoutes.all(state) + OneDownloadRoutes.all(state) + SystemRoutes.all(state) + SettingsRoutes.all(state)
    }
}
