; The order of keys has no meaning in TOML.
((array) @list (#set! list.comma "may") (#set! list.sort "values"))
((inline_table) @list (#set! list.pad) (#set! list.sort "names"))

(document (pair . (_) @entry.name) @entry)
(table (pair . (_) @entry.name) @entry)
(table_array_element (pair . (_) @entry.name) @entry)
