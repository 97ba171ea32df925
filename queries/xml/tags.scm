(element (STag (Name) @open) (ETag (Name) @close))
