-- Leave is asked for with its full text, never while a person types.
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
  local _, error = plugin.over(call)
  scenario.equal(error.code, "E_DENIED", "closing it is no")

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
  scenario.equal(#asked, 4, "nothing is asked while a person types")
  state.mode = "n"
  vim.api.nvim_exec_autocmds("ModeChanged", { pattern = "i:n" })
  question(5).done(nil)
  plugin.over(call)
  vim.api.nvim_get_mode = get_mode
end)
