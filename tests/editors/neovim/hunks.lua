-- Signs follow what is typed and what others commit; `:Tandem hunks` stages, unstages, reverts, walks
-- and shows; files as they were are read.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")
local plugin = require("plugin")

local function git(...)
  local command = { "git", "-c", "user.name=A", "-c", "user.email=a@example.com", ... }
  local done = vim.system(command, { cwd = scenario.root, text = true }):wait()
  assert(done.code == 0, vim.inspect(done))
  return done.stdout
end

-- Each sign's line, from 1, and highlight.
local function signs(bufnr)
  local found = {}
  local marks = vim.api.nvim_buf_get_extmarks(bufnr, -1, 0, -1, { details = true, type = "sign" })
  for _, mark in ipairs(marks) do
    table.insert(found, { mark[2] + 1, mark[4].sign_hl_group })
  end
  return found
end

scenario.run(function()
  scenario.write("a.txt", "one\ntwo\nthree\nfour\n")
  git("init", "-q")
  git("add", "-A")
  git("commit", "-qm", "first")
  plugin.load()
  local bufnr = plugin.open("a.txt")
  local function shown(what, expected)
    scenario.wait(what, function()
      return vim.deep_equal(signs(bufnr), expected)
    end)
  end

  vim.api.nvim_buf_set_lines(bufnr, 1, 2, true, { "2", "2b" })
  vim.api.nvim_buf_set_lines(bufnr, 4, 5, true, {})
  local all = { { 2, "Changed" }, { 3, "Changed" }, { 4, "Removed" } }
  shown("what is typed has signs", all)

  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  local function at(line, what)
    scenario.equal(vim.api.nvim_win_get_cursor(0)[1], line, what)
  end
  vim.cmd("Tandem hunks next")
  at(2, "the first hunk")
  vim.cmd("Tandem hunks next")
  at(4, "the second, where a line went")
  vim.cmd("Tandem hunks next")
  at(2, "around the end")
  vim.cmd("Tandem hunks prev")
  at(4, "and back")
  vim.api.nvim_win_set_cursor(0, { 3, 0 })
  vim.cmd("Tandem hunks preview")
  local preview = scenario.wait("the hunk is shown", function()
    return plugin.floats()[1]
  end)
  scenario.equal(preview.lines, { "@@ -2,1 +2,2 @@", "-two", "+2", "+2b" }, "as a diff")
  vim.api.nvim_win_close(preview.winid, true)
  vim.cmd("Tandem hunks quickfix")
  scenario.equal(#vim.fn.getqflist(), 2, "all hunks")
  vim.cmd.cclose()
  vim.api.nvim_win_set_buf(0, bufnr)

  vim.api.nvim_win_set_cursor(0, { 2, 0 })
  vim.cmd("Tandem hunks stage")
  shown("what is staged is shown so", { { 2, "Comment" }, { 3, "Comment" }, { 4, "Removed" } })
  scenario.equal(git("show", ":a.txt"), "one\n2\n2b\nthree\nfour\n", "only the hunk is staged")
  vim.cmd("Tandem hunks unstage")
  shown("what was taken out of the index again", all)

  vim.api.nvim_win_set_cursor(0, { 4, 0 })
  vim.cmd("Tandem hunks revert")
  shown("what is reverted has no sign", { { 2, "Changed" }, { 3, "Changed" } })
  scenario.equal(scenario.text(bufnr), "one\n2\n2b\nthree\nfour\n", "the line is back")

  vim.cmd.write()
  git("commit", "-qam", "second")
  shown("after a commit in a terminal there are no signs", {})

  vim.cmd.edit("tandem-git:/HEAD~1/a.txt")
  local old = vim.api.nvim_get_current_buf()
  scenario.wait("the file as it was is read", function()
    return scenario.text(old) == "one\ntwo\nthree\nfour\n"
  end)
  scenario.equal(vim.bo[old].modifiable, false, "and cannot be changed")
  scenario.equal(vim.lsp.get_clients({ bufnr = old }), {}, "no server is told of it")
  vim.cmd.edit("tandem-git:/nonsense/a.txt")
  plugin.wait_said("tandem-git:/nonsense/a.txt: ")

  vim.api.nvim_win_set_buf(0, bufnr)
  vim.cmd("Tandem checkpoint create before")
  plugin.wait_said("create: done")
  vim.api.nvim_buf_set_lines(bufnr, 0, 1, true, { "ruined" })
  vim.cmd.write()
  vim.cmd("Tandem checkpoint restore")
  plugin.wait_said("1 files restored")
  scenario.wait("the text is back", function()
    return scenario.text(bufnr) == "one\n2\n2b\nthree\nfour\n"
  end)

  vim.cmd("Tandem blame")
  scenario.wait("the commit of each line is shown", function()
    local hints = vim.lsp.inlay_hint.get({ bufnr = bufnr })
    return #hints > 0 and vim.inspect(hints):find("second", 1, true)
  end)
  vim.cmd("Tandem blame")
  scenario.equal(vim.lsp.inlay_hint.is_enabled({ bufnr = bufnr }), false, "and hidden again")
  -- Inlay hints that were shown before may belong to another server.
  vim.lsp.inlay_hint.enable(true)
  vim.cmd("Tandem blame")
  vim.cmd("Tandem blame")
  scenario.equal(vim.lsp.inlay_hint.is_enabled({ bufnr = bufnr }), true, "others' stay")
  vim.lsp.inlay_hint.enable(false)

  local conflict = { "<<<<<<< ours", "mine", "=======", "yours", ">>>>>>> theirs" }
  vim.api.nvim_buf_set_lines(bufnr, 0, 1, true, conflict)
  vim.api.nvim_win_set_cursor(0, { 2, 0 })
  vim.cmd("Tandem conflicts theirs")
  scenario.wait("the conflict is settled", function()
    return vim.api.nvim_buf_get_lines(bufnr, 0, 2, true)[1] == "yours"
  end)

  -- The signs of an ended server are removed.
  scenario.wait("there are signs", function()
    return #signs(bufnr) > 0
  end)
  vim.cmd("Tandem stop")
  shown("the signs go with the server", {})
  vim.cmd("Tandem start")
  scenario.wait("and come with it", function()
    return #signs(bufnr) > 0
  end)
end)
