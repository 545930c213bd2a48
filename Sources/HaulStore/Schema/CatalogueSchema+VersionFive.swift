extension CatalogueSchema {
    /// Rewrites the limit on connections in stored options to the form of requests: `{"limit": 4, "mode": "fixed"}`.
    static let versionFive = """
        UPDATE options SET json = json_set(json, '$.connections', json_object(
            'limit', json_extract(json, '$.connections.automatic.limit'), 'mode', 'automatic'))
        WHERE json_type(json, '$.connections.automatic') IS NOT NULL;
        UPDATE options SET json = json_set(json, '$.connections', json_object(
            'limit', json_extract(json, '$.connections.fixed._0'), 'mode', 'fixed'))
        WHERE json_type(json, '$.connections.fixed') IS NOT NULL;
        """
}
