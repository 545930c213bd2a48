extension String {
    /// Returns the index of the first place where the bytes of another text are; nil if they are nowhere.
    ///
    /// `firstRange(of:)` compares characters. Its first call prepares tables, and looks types up by name.
    package func firstIndex(ofBytes text: String) -> Index? {
        var rest = self[...].utf8
        while !rest.starts(with: text.utf8) {
            guard rest.popFirst() != nil else { return nil }
        }
        return rest.startIndex
    }

    /// Returns true if the bytes of another text are somewhere in this one.
    package func contains(bytes text: String) -> Bool { firstIndex(ofBytes: text) != nil }
}
