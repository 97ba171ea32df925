; An element that says what it is called.
(element
  (STag (Name) @name
    (Attribute (Name) @_attribute (AttValue) @name)
    (#match? @_attribute "^(id|name|key|Include|match|x:Name|Name|xml:id)$"))) @item.struct
(element
  (EmptyElemTag (Name) @name
    (Attribute (Name) @_attribute (AttValue) @name)
    (#match? @_attribute "^(id|name|key|Include|match|x:Name|Name|xml:id)$"))) @item.struct
; One that holds others.
(element (STag . "<" . (Name) @name . ">") (content (element))) @item.struct
(element
  (STag (Name) @name . (Attribute (Name) @_attribute)) (content (element))
  (#not-match? @_attribute "^(id|name|key|Include|match|x:Name|Name|xml:id)$")) @item.struct
