-- The plugin attaches by itself, reports the editor's state, and ignores buffers that are not files.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")
local plugin = require("plugin")

scenario.run(function()
  scenario.write("a.py", "def f():\n    return 'äx'\n")
  scenario.write("b.txt", "one\ntwo\n")
  vim.fn.mkdir(scenario.root .. "/.git", "p")
  local started = vim.uv.hrtime()
  plugin.load()
  local took = (vim.uv.hrtime() - started) / 1e6
  io.stdout:write(("plugin loaded in %.2f ms\n"):format(took))
  assert(took < 20, "loading is quick")
  scenario.equal(
    package.loaded["tandem.client"],
    nil,
    "nothing more is read before a file is opened"
  )

  local bufnr, client = plugin.open("a.py")
  scenario.equal(client.config.root_dir, scenario.root, "the folder with .git is the workspace")
  local other = plugin.open("b.txt")
  scenario.equal(#vim.lsp.get_clients({ name = "tandem" }), 1, "one server serves both")

  vim.api.nvim_win_set_buf(0, bufnr)
  vim.api.nvim_buf_set_lines(bufnr, 0, 0, true, { "# unsaved" })
  local tandem = require("tandem")
  local function state()
    require("tandem.state").report()
    return assert(tandem.call("get_editor_state", {}))
  end
  local shown = scenario.wait("the editor's state is known", function()
    local shown = tandem.call("get_editor_state", {})
    return shown and shown.active_file == "a.py" and #shown.dirty_files > 0 and shown
  end)
  scenario.equal(shown.dirty_files, { "a.py" }, "what is unsaved")
  scenario.equal(#shown.open_files, 2, "both files are tabs")

  -- Two bytes of an umlaut are one column of UTF-16.
  vim.api.nvim_win_set_cursor(0, { 3, 0 })
  vim.cmd("normal! fävl")
  state()
  local selected = assert(tandem.call("get_selection", {}))
  scenario.equal(selected.content, "äx", "what is selected in visual mode")
  vim.cmd("normal! \27")
  vim.cmd("normal! ggVj")
  state()
  scenario.equal(tandem.call("get_selection", {}).content, "# unsaved\ndef f():", "whole lines")
  vim.cmd("normal! \27")

  -- A block selection with too many lines is not reported in part.
  vim.api.nvim_win_set_buf(0, other)
  vim.api.nvim_buf_set_lines(other, 0, -1, true, vim.fn["repeat"]({ "line" }, 5000))
  vim.cmd("normal! gg\22G")
  state()
  local selection, trouble = tandem.call("get_selection", {})
  scenario.equal(trouble and trouble.code, "E_NO_EDITOR", vim.inspect(selection):sub(1, 200))
  vim.cmd("normal! \27")
  vim.cmd("normal! gg\22jl")
  state()
  scenario.equal(#assert(tandem.call("get_selection", {})).selections, 2, "a block")
  vim.cmd("normal! \27")
  vim.cmd("silent undo")
  vim.api.nvim_win_set_buf(0, bufnr)
  state()

  assert(tandem.statusline():find("tandem", 1, true), "the statusline tells of it")
  vim.cmd("Tandem status")
  plugin.wait_said("calls running")

  vim.cmd.enew()
  vim.api.nvim_buf_set_lines(0, 0, -1, true, { "untitled" })
  local untitled = vim.api.nvim_get_current_buf()
  vim.cmd.new()
  vim.bo.buftype = "nofile"
  vim.api.nvim_buf_set_name(0, "tandem://scratch")
  vim.wait(200)
  for _, one in ipairs({ untitled, vim.api.nvim_get_current_buf() }) do
    scenario.equal(vim.lsp.get_clients({ bufnr = one }), {}, "it is left alone")
  end
  scenario.equal(state().active_file, "a.py", "the last file stays the active one")
  vim.cmd("Tandem start")
  plugin.wait_said("not attached: it is not a file")
  -- An untitled buffer that gets a name is attached to.
  vim.api.nvim_win_set_buf(0, untitled)
  vim.cmd.write({ scenario.root .. "/c.txt" })
  plugin.attached(untitled)
  assert(vim.api.nvim_buf_is_valid(other))

  -- A keystroke costs one check of a flag.
  local touch = require("tandem.state").touch
  local before = vim.uv.hrtime()
  for _ = 1, 10000 do
    touch()
  end
  local each = (vim.uv.hrtime() - before) / 1e7
  io.stdout:write(("a keystroke's share: %.3f us\n"):format(each))
  assert(each < 50)
  local report = require("tandem.state").report
  before = vim.uv.hrtime()
  for _ = 1, 100 do
    report()
  end
  io.stdout:write(("what is shown, gathered: %.3f ms\n"):format((vim.uv.hrtime() - before) / 1e8))
end)
