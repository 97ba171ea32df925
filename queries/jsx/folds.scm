[(jsx_element) (jsx_self_closing_element) (jsx_opening_element) (jsx_expression)] @fold
