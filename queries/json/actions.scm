; The order of keys has no meaning in JSON.
((array) @list)
((object) @list (#set! list.pad) (#set! list.sort "names"))
