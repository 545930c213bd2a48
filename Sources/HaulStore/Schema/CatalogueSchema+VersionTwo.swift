extension CatalogueSchema {
    /// Adds the sources that a download had before, instead of a flag that it had any.
    ///
    /// - `replaced_sources` are digests, as in journals, separated by blanks. The sources before this version are
    ///   unknown: a partial file of theirs is not resumed.
    static let versionTwo = """
        ALTER TABLE download ADD COLUMN replaced_sources TEXT CHECK (replaced_sources <> '');
        ALTER TABLE download DROP COLUMN source_replaced;
        """
}
