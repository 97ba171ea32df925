[(object) (array)] @fold
(comment) @fold.comment
