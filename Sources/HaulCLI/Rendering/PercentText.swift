/// A fraction in percent, such as `43 %`.
///
/// The text is `100 %` only for the whole.
enum PercentText {
    /// The percent, rounded down.
    static func text(_ fraction: Double) -> String {
        guard fraction.isFinite else { return "" }
        return "\(Int(min(1, max(0, fraction)) * 100)) %"
    }
}
