(string) @string
(escape_sequence) @escape
(pair key: (string) @property)
(number) @number
[(true) (false)] @boolean
(null) @constant.builtin
(comment) @comment
["{" "}" "[" "]" "," ":"] @punctuation
