import HaulCore
package import HaulWire

extension DownloadMessage {
    /// The download as shown to the user: its URLs lack the values of their queries, which may be secrets.
    package var redacted: DownloadMessage {
        var shown = self
        shown.key = URLRedaction.inText(key)
        shown.request.url = URLRedaction.inText(request.url)
        shown.request.key = request.key.map(URLRedaction.inText)
        for index in request.mirrors.indices {
            shown.request.mirrors[index].url = URLRedaction.inText(request.mirrors[index].url)
        }
        for index in request.headers.indices {
            shown.request.headers[index].value = URLRedaction.inText(request.headers[index].value)
        }
        shown.finish?.verification.file = finish?.verification.file.map(URLRedaction.inText)
        return shown
    }

    /// The command that helps a download which cannot continue by itself; nil if there is none.
    package var whatToType: String? {
        switch (state, wait?.reason, error?.code) {
        case (.waiting, "linkExpired", _): "haul set \(id) --url 'NEW-URL'"
        case (.waiting, "credentials", _) where request.headers.contains { $0.value.isEmpty }:
            "haul set \(id) -H 'NAME: VALUE'"
        case (.waiting, "credentials", _): "add it again with haul add, and its password or token"
        case (.waiting, "notBefore", _): "haul resume \(id) --now"
        case (.failed, _, .destinationExists):
            "move the file, then haul retry \(id); or haul remove \(id), and haul add it with --on-conflict replace or rename"
        case (.failed, _, _), (.cancelled, _, _): "haul retry \(id)"
        case (.paused, _, _): "haul resume \(id)"
        case (.waiting, _, _), (.running, _, _), (.finished, _, _): nil
        }
    }
}

extension EventMessage {
    /// The event, with its download as shown to the user.
    var redacted: EventMessage {
        var shown = self
        shown.snapshot = snapshot?.redacted
        return shown
    }
}
