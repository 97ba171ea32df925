; What JSON says does not depend on the order of its keys.
((array) @list)
((object) @list (#set! list.pad) (#set! list.sort "names"))
