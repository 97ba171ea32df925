[
  (element)
  (STag)
  (EmptyElemTag)
  (CDSect)
  (doctypedecl)
] @fold
(Comment) @fold.comment
