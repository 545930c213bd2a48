extension Int64 {
    /// The sum, or the largest number: sizes come from servers, and two of them may be more than there is.
    package func saturatingSum(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}
