[(object) (array)] @indent
["}" "]"] @outdent
(comment) @leave
