(import_declaration (scoped_identifier) @link)
