package import HaulCore

/// The models that receive the events of their downloads.
package struct BoundModels: Sendable {
    private var boxes: [DownloadID: [ModelBox]] = [:]

    /// Creates an empty collection.
    package init() {}

    /// Binds a model to a download.
    package mutating func bind(_ model: any Downloadable, to id: DownloadID) {
        boxes[id, default: []].removeAll { $0.givesWay(to: model) }
        boxes[id, default: []].append(ModelBox(model))
    }

    /// Passes an event to the models of its download.
    package func emit(_ event: DownloadEvent) {
        for model in boxes[event.download] ?? [] { model.receive(event) }
    }

    /// Removes the models of a download that no longer exists.
    package mutating func forget(_ id: DownloadID) { boxes[id] = nil }
}
