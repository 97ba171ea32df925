-- Approval requests show their full text and never appear while a person types.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")
local plugin = require("plugin")

scenario.run(function()
  scenario.write("a.txt", "one\n")
  scenario.write(".vscode/settings.json", '{"a": 1}\n')
  vim.fn.mkdir(scenario.root .. "/.git", "p")
  plugin.load()
  local bufnr = plugin.open("a.txt")
  local asked = {}
  vim.ui.select = function(items, opts, done)
    table.insert(asked, { items = items, opts = opts, done = done, floats = plugin.floats() })
  end
  local function question(n)
    return scenario.wait("a question is shown", function()
      return asked[n]
    end)
  end
  local function edit(from, to)
    return {
      path = ".vscode/settings.json",
      old_text = ('"a": %d'):format(from),
      new_text = ('"a": %d'):format(to),
    }
  end
  local call = plugin.start("apply_edit", edit(1, 2))
  local first = question(1)
  local titles = vim.tbl_map(first.opts.format_item, first.items)
  scenario.equal(titles[1], "Allow once", "the answers")
  scenario.equal(titles[4], "Deny", "the answers")
  assert(first.floats[1].text:find('+{"a": 2}', 1, true), first.floats[1].text)
  assert(first.opts.prompt:find("apply_edit wants to write", 1, true), first.opts.prompt)
  first.done(first.items[1])
  assert(plugin.over(call).changed)
  scenario.equal(scenario.on_disk(".vscode/settings.json"), '{"a": 2}\n', "it was allowed")
  scenario.equal(plugin.floats(), {}, "the text is gone")

  call = plugin.start("apply_edit", edit(2, 3))
  question(2).done(nil)
  local _, trouble = plugin.over(call)
  scenario.equal(trouble.code, "E_DENIED", "closing it is no")

  -- Two at once: one after the other.
  local one, two =
    plugin.start("apply_edit", edit(2, 4)), plugin.start("run_command", { command = "true" })
  question(3)
  vim.wait(200)
  scenario.equal(#asked, 3, "one question at a time")
  question(3).done(nil)
  question(4).done(nil)
  plugin.over(one)
  plugin.over(two)

  -- A line that is wider than the window is wrapped, not cut off.
  local long = "echo " .. ("0123456789"):rep(20) .. " END"
  call = plugin.start("run_command", { command = long })
  local wide = question(5)
  local winid = wide.floats[1].winid
  assert(wide.floats[1].text:find(" END", 1, true), wide.floats[1].text)
  local height = vim.api.nvim_win_text_height(winid, {}).all
  assert(height > #wide.floats[1].lines, "its lines are broken")
  scenario.equal(vim.api.nvim_win_get_height(winid), height, "and all of them shown")
  wide.done(nil)
  plugin.over(call)

  -- A text that is too long for the screen must be scrolled to its end before it can be allowed.
  call = plugin.start("run_command", { command = ("echo line\n"):rep(60) .. "echo END" })
  local cut = question(6)
  titles = vim.tbl_map(cut.opts.format_item, cut.items)
  scenario.equal(titles, { "Read it in full", "Deny" }, "it can be read, or refused")
  cut.done(cut.items[1])
  scenario.equal(plugin.floats(), {}, "the text has a window of its own")
  local page = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
  assert(page:find("echo END", 1, true), page)
  scenario.equal(#asked, 6, "nothing is asked while it is read")
  vim.api.nvim_feedkeys("q", "xt", false)
  titles = vim.tbl_map(question(7).opts.format_item, question(7).items)
  scenario.equal(titles[1], "Allow once", "then all answers are there")
  question(7).done(nil)
  plugin.over(call)
  scenario.equal(vim.api.nvim_get_current_buf(), bufnr, "the window is gone")

  -- A withdrawn request closes its window.
  call = plugin.start("run_command", { command = ("echo line\n"):rep(60) })
  question(8).done(question(8).items[1])
  assert(vim.api.nvim_get_current_buf() ~= bufnr, "it is read")
  require("tandem.questions").ended(require("tandem.client").client(bufnr).id)
  plugin.over(call)
  scenario.equal(vim.api.nvim_get_current_buf(), bufnr, "its window is gone")

  -- A failing `vim.ui.select` gives no approval and blocks nothing.
  local select = vim.ui.select
  vim.ui.select = function()
    error("no window for it")
  end
  call = plugin.start("run_command", { command = "true" })
  _, trouble = plugin.over(call)
  scenario.equal(trouble.code, "E_DENIED", "no leave")
  plugin.wait_said("no window for it")
  vim.ui.select = select

  -- A person who types is not interrupted.
  vim.api.nvim_buf_call(bufnr, function()
    vim.api.nvim_feedkeys("i", "n", false)
  end)
  local state = { mode = "i" }
  local get_mode = vim.api.nvim_get_mode
  vim.api.nvim_get_mode = function()
    return { mode = state.mode, blocking = false }
  end
  call = plugin.start("apply_edit", edit(2, 5))
  plugin.wait_said("once you have left this mode")
  vim.wait(200)
  scenario.equal(#asked, 8, "nothing is asked while a person types")
  state.mode = "n"
  vim.api.nvim_exec_autocmds("ModeChanged", { pattern = "i:n" })
  question(9).done(nil)
  plugin.over(call)
  vim.api.nvim_get_mode = get_mode
end)
