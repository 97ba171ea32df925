[
  (array)
  (inline_table)
] @indent
["]" "}"] @outdent
(string) @leave
