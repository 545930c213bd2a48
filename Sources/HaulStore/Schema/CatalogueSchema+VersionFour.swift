extension CatalogueSchema {
    /// Adds the facts of an earlier finish of a repeated download: only the file that it created then may be replaced.
    static let versionFour = """
        ALTER TABLE download ADD COLUMN earlier_finish TEXT;
        """
}
