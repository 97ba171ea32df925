(comment) @comment

(string) @string
(escape_sequence) @escape
[(integer) (float)] @number
(boolean) @boolean
[(offset_date_time) (local_date_time) (local_date) (local_time)] @string.special

[(bare_key) (quoted_key)] @property
(table [(bare_key) (quoted_key)] @namespace)
(table (dotted_key [(bare_key) (quoted_key)] @namespace))
(table (dotted_key (dotted_key (_) @namespace)))
(table_array_element [(bare_key) (quoted_key)] @namespace)
(table_array_element (dotted_key [(bare_key) (quoted_key)] @namespace))
(table_array_element (dotted_key (dotted_key (_) @namespace)))

"=" @operator
["." "," "[" "]" "[[" "]]" "{" "}"] @punctuation
