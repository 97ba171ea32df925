; What TOML says does not depend on the order of its keys.
((array) @list (#set! list.comma "may") (#set! list.sort "values"))
((inline_table) @list (#set! list.pad) (#set! list.sort "names"))

(document (pair . (_) @entry.name) @entry)
(table (pair . (_) @entry.name) @entry)
(table_array_element (pair . (_) @entry.name) @entry)
