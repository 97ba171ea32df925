#!/bin/sh
# Records a first patch in Neovim as plain screens: `sh session.sh > session.txt`. Needs tmux, and
# nvim and tandem on the PATH.
set -eu
plugin=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
socket="tandem-session-$$"
trap 'tmux -L "$socket" kill-server 2>/dev/null || true; rm -rf "$work"' EXIT
export HOME="$work" XDG_STATE_HOME="$work/state" XDG_CACHE_HOME="$work/cache" LANG=C.UTF-8
mkdir -p "$work/hello/.git"
cd "$work/hello"
printf 'def greet(name):\n    return "hello " + name\n\n\nprint(greet("world"))\nprint(greet("you"))\n' > greet.py

keys() { tmux -L "$socket" send-keys -t session "$@"; }
show() {
  printf '\n--- %s\n' "$1"
  tmux -L "$socket" capture-pane -p -t session | sed 's/[ ]*$//; /^~$/d' | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'
}

tmux -L "$socket" -f /dev/null new-session -d -s session -x 90 -y 26 \
  "nvim --clean --cmd 'set rtp^=$plugin noswapfile shortmess+=I' greet.py"
sleep 2
keys ":set statusline=%f\\ %m%=%{v:lua.require'tandem'.statusline()} laststatus=2 cmdheight=2" Enter
keys 'ggO# typed, and not saved' Escape
sleep 1
show "A file with unsaved text. Nothing was set up; the statusline says that the server is there."
keys ':Tandem review on' Enter
sleep 1
keys ':lua require("tandem").tools.apply_edit({path="greet.py", patches={{old_text="hello ", new_text="good morning, "}, {old_text="\"you\"", new_text="\"all of you\""}}}, {on_done=function() end})' Enter
sleep 2
show "An AI plugin calls apply_edit with two patches: they are shown before they are made."
keys ':Tandem review toggle 1 2' Enter
sleep 1
show "The second hunk is left out."
keys ':Tandem review apply' Enter
sleep 2
keys ':echo' Enter
sleep 1
show "Only the first happened, beside the unsaved text."
keys 'u'
sleep 1
show "One undo takes it back."
keys ':Tandem activity' Enter
sleep 2
show "What tools did."
