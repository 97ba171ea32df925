(CDSect) @string
(CDSect [(CDStart) "]]>"] @punctuation)
[(EntityRef) (CharRef) (PEReference)] @escape
(Comment) @comment

(STag (Name) @tag)
(ETag (Name) @tag)
(EmptyElemTag (Name) @tag)
(Attribute (Name) @tag.attribute)
(PseudoAtt (Name) @tag.attribute)
(AttValue) @string
(PseudoAttValue) @string
[(SystemLiteral) (PubidLiteral) (EntityValue)] @string
(URI) @string.special

(PI) @string.special
(PITarget) @keyword
(XMLDecl ["xml" "version" "encoding" "standalone"] @keyword)
(XMLDecl ["yes" "no"] @boolean)
(VersionNum) @number
(EncName) @string.special
(StyleSheetPI "xml-stylesheet" @keyword)
(XmlModelPI "xml-model" @keyword)

(doctypedecl "DOCTYPE" @keyword)
(doctypedecl (Name) @type)
(elementdecl "ELEMENT" @keyword (Name) @tag)
(AttlistDecl "ATTLIST" @keyword (Name) @tag)
(AttDef (Name) @tag.attribute)
(GEDecl "ENTITY" @keyword (Name) @constant)
(PEDecl "ENTITY" @keyword (Name) @constant)
(NotationDecl "NOTATION" @keyword (Name) @constant)
(children (Name) @tag)
[(StringType) (TokenizedType)] @type.builtin
(DefaultDecl ["#REQUIRED" "#IMPLIED" "#FIXED"] @attribute)
(contentspec ["EMPTY" "ANY"] @keyword)
(Mixed "#PCDATA" @keyword)
["SYSTEM" "PUBLIC" "NDATA"] @keyword

["<" ">" "</" "/>" "<?" "?>" "<!" "=" "(" ")" "|" "," "*" "+" "?" "[" "]"] @punctuation
