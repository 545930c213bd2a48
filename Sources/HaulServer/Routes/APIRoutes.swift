/// All operations of the API.
package enum APIRoutes {
    /// The routes, over what they work on.
    package static func all(_ state: DaemonState) -> [APIRoute] {
        DownloadRoutes.all(state) + OneDownloadRoutes.all(state) + SystemRoutes.all(state) + SettingsRoutes.all(state)
    }
}
