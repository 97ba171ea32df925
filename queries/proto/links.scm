(import path: (string) @link)
