extension CatalogueSchema {
    /// How a download finished that is done again: only the file that it made then may be replaced.
    static let versionFour = """
        ALTER TABLE download ADD COLUMN earlier_finish TEXT;
        """
}
