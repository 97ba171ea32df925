-- Signs follow what is typed and what others commit; `:Tandem` stages, unstages and reverts.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
vim.opt.runtimepath:append(vim.env.SCENARIO_LIBRARY .. "/../../../../editors/neovim")
local scenario = require("scenario")
local hunks = require("tandem.hunks")

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
  hunks.enable()
  vim.cmd.edit(vim.fn.fnameescape(scenario.root .. "/a.txt"))
  local bufnr = vim.api.nvim_get_current_buf()
  local id = assert(vim.lsp.start({
    name = "tandem",
    cmd = { vim.env.TANDEM_BIN, "lsp", "--stdio" },
    root_dir = scenario.root,
    capabilities = hunks.capabilities,
  }, { bufnr = bufnr }))
  local client = assert(vim.lsp.get_client_by_id(id))
  scenario.wait("the server is initialized", function()
    return client.initialized and vim.lsp.buf_is_attached(bufnr, id)
  end)
  local function shown(what, expected)
    scenario.wait(what, function()
      return vim.deep_equal(signs(bufnr), expected)
    end)
  end

  vim.api.nvim_buf_set_lines(bufnr, 1, 2, true, { "2", "2b" })
  vim.api.nvim_buf_set_lines(bufnr, 4, 5, true, {})
  local all = { { 2, "Changed" }, { 3, "Changed" }, { 4, "Removed" } }
  shown("what is typed has signs", all)

  vim.api.nvim_win_set_cursor(0, { 2, 0 })
  vim.cmd("Tandem stage")
  shown("what is staged is shown so", { { 2, "Comment" }, { 3, "Comment" }, { 4, "Removed" } })
  scenario.equal(git("show", ":a.txt"), "one\n2\n2b\nthree\nfour\n", "only the hunk is staged")
  vim.cmd("Tandem unstage")
  shown("what was taken out of the index again", all)

  vim.api.nvim_win_set_cursor(0, { 4, 0 })
  vim.cmd("Tandem revert")
  shown("what is reverted has no sign", { { 2, "Changed" }, { 3, "Changed" } })
  scenario.equal(scenario.text(bufnr), "one\n2\n2b\nthree\nfour\n", "the line is back")

  vim.cmd.write()
  git("commit", "-qam", "second")
  shown("after a commit in a terminal there are no signs", {})
end)
