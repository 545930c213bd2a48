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

/// A model that receives the events of its download: values are copied, objects are held weakly.
enum ModelBox: Sendable {
    case value(any Downloadable)
    case object(WeakModel)

    /// Boxes a model.
    init(_ model: any Downloadable) {
        if type(of: model) is AnyObject.Type {
            self = .object(WeakModel(model as AnyObject))
        } else {
            self = .value(model)
        }
    }

    /// Returns true if another model bound to the same download replaces this one: the same object, a value of the same
    /// type, or any if this object no longer exists.
    func givesWay(to model: any Downloadable) -> Bool {
        switch self {
        case .value(let own): type(of: own) == type(of: model)
        case .object(let box):
            if let own = box.model { own as AnyObject === model as AnyObject } else { true }
        }
    }

    /// Passes an event to the model, if it still exists.
    func receive(_ event: DownloadEvent) {
        switch self {
        case .value(let model): model.downloadDidChange(event)
        case .object(let box): box.model?.downloadDidChange(event)
        }
    }
}

/// A weak reference to a model that is an object.
///
/// Unchecked because a weak reference is a variable: it is set once, and the runtime clears it atomically.
final class WeakModel: @unchecked Sendable {
    private weak var object: AnyObject?

    init(_ object: AnyObject) { self.object = object }

    var model: (any Downloadable)? { object as? any Downloadable }
}
