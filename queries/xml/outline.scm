; An element with a name attribute or child.
(element
  (STag (Name) @name
    (Attribute (Name) @_attribute (AttValue) @name)
    (#match? @_attribute "^(id|name|key|Include|match|x:Name|Name|xml:id)$"))) @item.struct
(element
  (EmptyElemTag (Name) @name
    (Attribute (Name) @_attribute (AttValue) @name)
    (#match? @_attribute "^(id|name|key|Include|match|x:Name|Name|xml:id)$"))) @item.struct
; An element with child elements.
(element (STag . "<" . (Name) @name . ">") (content (element))) @item.struct
(element
  (STag (Name) @name . (Attribute (Name) @_attribute)) (content (element))
  (#not-match? @_attribute "^(id|name|key|Include|match|x:Name|Name|xml:id)$")) @item.struct
