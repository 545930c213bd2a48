extension Duration {
    /// The duration in seconds.
    package var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }

    /// The time in whole seconds and in larger units: `90 s (1 min 30 s)`; below ten seconds with one decimal if it is
    /// not 0.
    package var inWords: String {
        let value = max(0, seconds)
        let tenths = Int64((min(value, 1e12) * 10).rounded())
        if tenths < 100, tenths % 10 != 0 { return "\(tenths / 10).\(tenths % 10) s" }
        let whole = Int64(min(value, 1e12).rounded())
        guard whole > 60 else { return "\(whole) s" }
        let units: [(Int64, String)] = [
            (whole / 86_400, "d"), (whole / 3600 % 24, "h"), (whole / 60 % 60, "min"), (whole % 60, "s"),
        ]
        return "\(whole) s (" + units.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: " ") + ")"
    }
}
