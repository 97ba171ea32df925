-- A change is shown before it is made, and taken by hunk, by file, whole or not at all.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")
local plugin = require("plugin")

local BEFORE = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"

local function edit(path)
  return {
    path = path,
    patches = {
      { old_text = "one", new_text = "ONE" },
      { old_text = "seven", new_text = "SEVEN" },
    },
  }
end

scenario.run(function()
  scenario.write("a.txt", BEFORE)
  scenario.write("b.txt", BEFORE)
  vim.fn.mkdir(scenario.root .. "/.git", "p")
  vim.g.tandem = { review = "always" }
  plugin.load()
  local review = function()
    return require("tandem.review").current()
  end
  local function shown()
    return scenario.wait("the change is shown", function()
      local one = package.loaded["tandem.review"] and review()
      return one and one.winid and plugin.floats()[1]
    end)
  end
  local bufnr = plugin.open("a.txt")
  vim.api.nvim_buf_set_lines(bufnr, 3, 4, true, { "4 unsaved" })
  local before = scenario.text(bufnr)
  local window = vim.api.nvim_get_current_win()

  local call = plugin.start("apply_edit", { edits = { edit("a.txt"), edit("b.txt") } })
  local text = shown().text
  assert(text:find("-one\n+ONE", 1, true) and text:find("4 unsaved", 1, true), text)
  scenario.equal(scenario.text(bufnr), before, "nothing has happened yet")
  scenario.equal(vim.api.nvim_get_current_win(), window, "no key is taken")
  assert(require("tandem").statusline():find("review", 1, true), "the statusline says so")
  -- The second hunk of the first file, and the whole second file, are left out.
  vim.cmd("Tandem review toggle 1 2")
  vim.cmd("Tandem review toggle 2")
  assert(shown().text:find("[ ] hunk 2", 1, true), shown().text)
  vim.cmd("Tandem review apply")
  local result = plugin.over(call)
  scenario.equal(scenario.text(bufnr), (before:gsub("one", "ONE")), "only the hunk that was taken")
  scenario.equal(scenario.on_disk("b.txt"), BEFORE, "the file that was left out")
  scenario.equal(#result.review.left_out, 2, "the result says what was left out")
  scenario.equal(plugin.floats(), {}, "the window is gone")
  vim.cmd("undo")
  scenario.equal(scenario.text(bufnr), before, "one undo takes it back")

  call = plugin.start("apply_edit", edit("a.txt"))
  shown()
  vim.cmd("Tandem review reject")
  local _, error = plugin.over(call)
  scenario.equal(error.code, "E_DENIED", "what is refused does not happen")
  scenario.equal(scenario.text(bufnr), before, "and changes nothing")

  -- By the keys of its window.
  call = plugin.start("apply_edit", edit("a.txt"))
  shown()
  vim.cmd("Tandem review")
  vim.api.nvim_feedkeys("gg]c]c ", "xt", false)
  vim.api.nvim_feedkeys("\13", "xt", false)
  result = plugin.over(call)
  scenario.equal(scenario.text(bufnr), (before:gsub("one", "ONE")), "the hunk at the cursor is out")
  vim.cmd("undo")

  -- Text that is typed meanwhile is a conflict, and stays.
  call = plugin.start("apply_edit", edit("a.txt"))
  shown()
  vim.api.nvim_buf_set_lines(bufnr, 1, 2, true, { "2" })
  vim.cmd("Tandem review accept")
  _, error = plugin.over(call)
  scenario.equal(error.code, "E_CONFLICT", "what was shown is not what stands there")

  -- Hidden, it can be decided upon all the same, and is shown again.
  call = plugin.start("apply_edit", edit("a.txt"))
  shown()
  vim.cmd("Tandem review")
  vim.api.nvim_feedkeys("q", "xt", false)
  scenario.equal(plugin.floats(), {}, "it is hidden")
  vim.cmd("Tandem review toggle 1 1")
  vim.cmd("Tandem review")
  assert(shown().text:find("[ ] hunk 1", 1, true), shown().text)
  vim.cmd("Tandem review reject")
  plugin.over(call)

  -- A file that is moved as it is has a mark, too.
  call = plugin.start("apply_edit", {
    patch = "*** Begin Patch\n*** Update File: b.txt\n*** Move to: c.txt\n*** End Patch\n",
  })
  text = shown().text
  assert(text:find("[x] b.txt -> c.txt (moved)", 1, true), text)
  vim.cmd("Tandem review toggle 1")
  assert(shown().text:find("[ ] b.txt -> c.txt (moved)", 1, true), shown().text)
  vim.cmd("Tandem review reject")
  plugin.over(call)

  -- Nobody waits for it any more: the window goes.
  local client = require("tandem.client").client()
  local _, id = scenario.method(client, "request", "workspace/executeCommand", {
    command = "tandem.apply_edit",
    arguments = { edit("a.txt") },
  }, function() end, bufnr)
  shown()
  scenario.method(client, "cancel_request", id)
  scenario.wait("the window is closed", function()
    return #plugin.floats() == 0
  end)

  -- Turned off, changes are made at once.
  vim.cmd("Tandem review off")
  assert(require("tandem").call("apply_edit", edit("a.txt")))
end)
