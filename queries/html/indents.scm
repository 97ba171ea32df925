(element (start_tag) (end_tag)) @indent
[(start_tag) (self_closing_tag)] @indent
[(end_tag) ">" "/>"] @outdent
[(comment) (raw_text)] @leave
(attribute) @leave
((element (start_tag (tag_name) @_tag)) @leave (#any-of? @_tag "pre" "textarea"))
