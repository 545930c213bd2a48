/// The web page: the files of the folder Page, which the build embeds in the program.
package enum WebPage {
    /// The files by path: the page itself at `/`, its resources below `/page/`.
    ///
    /// They contain no data about downloads, so no token is required.
    package static let files: [String: EmbeddedFile] = {
        var files = ["/": EmbeddedFile(bytes: PackageResources.index_html, type: "text/html; charset=utf-8")]
        for (name, bytes) in scripts {
            files["/page/\(name).js"] = EmbeddedFile(bytes: bytes, type: "text/javascript; charset=utf-8")
        }
        for (name, bytes) in styles {
            files["/page/\(name).css"] = EmbeddedFile(bytes: bytes, type: "text/css; charset=utf-8")
        }
        files["/page/icon.svg"] = EmbeddedFile(bytes: PackageResources.icon_svg, type: "image/svg+xml")
        return files
    }()

    private static var styles: [(String, [UInt8])] {
        [
            ("style", PackageResources.style_css), ("list", PackageResources.list_css),
            ("details", PackageResources.details_css), ("dialogs", PackageResources.dialogs_css),
        ]
    }

    private static var scripts: [(String, [UInt8])] {
        [
            ("access", PackageResources.access_js), ("actions", PackageResources.actions_js),
            ("addition", PackageResources.addition_js), ("announce", PackageResources.announce_js),
            ("api", PackageResources.api_js), ("details", PackageResources.details_js),
            ("dialog", PackageResources.dialog_js), ("dom", PackageResources.dom_js),
            ("drag", PackageResources.drag_js), ("events", PackageResources.events_js),
            ("eventstream", PackageResources.eventstream_js), ("facts", PackageResources.facts_js),
            ("filter", PackageResources.filter_js), ("form", PackageResources.form_js),
            ("format", PackageResources.format_js), ("graph", PackageResources.graph_js),
            ("limits", PackageResources.limits_js), ("links", PackageResources.links_js),
            ("list", PackageResources.list_js), ("listkeys", PackageResources.listkeys_js),
            ("main", PackageResources.main_js), ("reduce", PackageResources.reduce_js),
            ("removal", PackageResources.removal_js), ("row", PackageResources.row_js),
            ("samples", PackageResources.samples_js), ("segments", PackageResources.segments_js),
            ("selection", PackageResources.selection_js), ("shortcuts", PackageResources.shortcuts_js),
            ("store", PackageResources.store_js), ("sync", PackageResources.sync_js),
            ("total", PackageResources.total_js), ("tuning", PackageResources.tuning_js),
            ("verbs", PackageResources.verbs_js), ("views", PackageResources.views_js),
            ("words", PackageResources.words_js),
        ]
    }
}
