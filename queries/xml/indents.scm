[
  (element)
  (STag)
  (EmptyElemTag)
] @indent
(ETag) @outdent
(STag ">" @outdent)
(EmptyElemTag "/>" @outdent)
[(CDSect) (Comment) (PI) (doctypedecl) (AttValue)] @leave
