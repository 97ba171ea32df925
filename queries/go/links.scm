(import_spec path: (_) @link)
