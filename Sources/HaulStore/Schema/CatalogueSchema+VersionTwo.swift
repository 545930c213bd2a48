extension CatalogueSchema {
    /// Which sources a download had before, instead of whether it had any.
    ///
    /// - `replaced_sources` are digests, as journals hold them, with blanks between them. Which ones they were before this version,
    ///   nobody knows: a partial of theirs is not gone on with.
    static let versionTwo = """
        ALTER TABLE download ADD COLUMN replaced_sources TEXT CHECK (replaced_sources <> '');
        ALTER TABLE download DROP COLUMN source_replaced;
        """
}
