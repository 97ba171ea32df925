(comment) @comment
(doctype) @keyword
(tag_name) @tag
(erroneous_end_tag_name) @error
(attribute_name) @tag.attribute
(quoted_attribute_value) @string
(attribute (attribute_value) @string)
(entity) @escape
"=" @operator
["<" ">" "</" "/>" "<!"] @punctuation

; The text of headings, bold, italics and links.
(element
  (start_tag (tag_name) @_tag)
  (text) @markup.heading
  (#match? @_tag "^([hH][1-6]|title)$"))
(element
  (start_tag (tag_name) @_tag)
  (text) @markup.bold
  (#any-of? @_tag "b" "strong"))
(element
  (start_tag (tag_name) @_tag)
  (text) @markup.italic
  (#any-of? @_tag "i" "em"))
(element
  (start_tag (tag_name) @_tag)
  (text) @markup.raw
  (#any-of? @_tag "code" "kbd" "samp"))
(attribute
  (attribute_name) @_name
  [(attribute_value) @string.special (quoted_attribute_value (attribute_value) @string.special)]
  (#any-of? @_name "href" "src" "action"))
