(include_directive filenames: (list (word) @link))
