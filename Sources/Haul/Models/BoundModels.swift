package import HaulCore

/// The models that hear what happens to their downloads.
package struct BoundModels: Sendable {
    private var boxes: [DownloadID: [ModelBox]] = [:]

    /// There are none.
    package init() {}

    /// Has a model hear what happens to a download.
    package mutating func bind(_ model: any Downloadable, to id: DownloadID) {
        boxes[id, default: []].removeAll { $0.givesWay(to: model) }
        boxes[id, default: []].append(ModelBox(model))
    }

    /// Has the models of a download hear something.
    package func emit(_ event: DownloadEvent) {
        for model in boxes[event.download] ?? [] { model.receive(event) }
    }

    /// The download is gone.
    package mutating func forget(_ id: DownloadID) { boxes[id] = nil }
}
