(code_span) @markup.raw
(emphasis) @markup.italic
(strong_emphasis) @markup.bold
(strikethrough) @markup.strikethrough
(latex_block) @string.special
[(emphasis_delimiter) (code_span_delimiter) (latex_span_delimiter)] @punctuation

; [x] alone is a link only if there is a definition for it.
(inline_link (link_text) @markup.link)
(full_reference_link (link_text) @markup.link)
(collapsed_reference_link (link_text) @markup.link)
(image_description) @markup.link
[(link_destination) (uri_autolink) (email_autolink)] @markup.link
(link_label) @label
(link_title) @string
(inline_link ["[" "]" "(" ")"] @punctuation)
(image ["!" "[" "]" "(" ")"] @punctuation)
(full_reference_link ["[" "]"] @punctuation)
(collapsed_reference_link ["[" "]"] @punctuation)

[(backslash_escape) (entity_reference) (numeric_character_reference) (hard_line_break)] @escape
(html_tag) @tag
