package import HaulCore

/// The value of an option that takes one of a few words.
package enum ChoiceArgument {
    /// Reads one of the words of an enum.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` and a message that lists the words.
    package static func parse<Choice>(_ text: String, as type: Choice.Type) throws(DownloadError) -> Choice
    where Choice: CaseIterable & RawRepresentable<String> {
        guard let choice = Choice(rawValue: text) else {
            let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw DownloadError(.invalidRequest, "invalid value \"\(text)\": expected one of \(words)")
        }
        return choice
    }
}
