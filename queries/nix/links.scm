(path_expression (path_fragment)) @link
