-- Two folders with a server each: commands go to the current folder, or the last one.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")
local plugin = require("plugin")

local function git(folder, ...)
  local command = { "git", "-c", "user.name=a", "-c", "user.email=a@b", ... }
  local done = vim.system(command, { cwd = scenario.root .. "/" .. folder, text = true }):wait()
  assert(done.code == 0, vim.inspect(done))
end

local function repository(folder, text)
  scenario.write(folder .. "/x.txt", text)
  git(folder, "init", "-q")
  git(folder, "add", ".")
  git(folder, "commit", "-q", "-m", "first")
end

scenario.run(function()
  repository("a", "one of a\n")
  repository("b", "one of b\n")
  plugin.load()
  local in_a, of_a = plugin.open("a/x.txt")
  local in_b, of_b = plugin.open("b/x.txt")
  assert(of_a.id ~= of_b.id, "a server each")
  local tandem = require("tandem")
  for _, bufnr in ipairs({ in_a, in_b }) do
    local edit = { path = "x.txt", old_text = "one", new_text = "two" }
    assert(tandem.call("apply_edit", edit, { bufnr = bufnr }))
  end

  -- The list of one folder's calls undoes that folder's calls.
  vim.cmd("Tandem activity")
  scenario.wait("the calls are listed", function()
    return vim.bo.filetype == "tandem-activity"
  end)
  vim.fn.search("apply_edit")
  vim.api.nvim_feedkeys("u", "xt", false)
  plugin.wait_said("is undone")
  scenario.equal(scenario.text(in_b), "one of b\n", "the call of this folder is undone")
  scenario.equal(scenario.text(in_a), "two of a\n", "and not the other's of the same number")
  vim.cmd.close()

  -- In a window without a file, the folder of the file before.
  vim.api.nvim_win_set_buf(0, in_b)
  vim.cmd("help lsp | only")
  local read = assert(tandem.call("read_file", { path = "x.txt" }))
  scenario.equal(read.content, "one of b\n", "a call without a file goes to the last folder")
  vim.cmd.edit("tandem-git:/HEAD/x.txt")
  scenario.wait("the file as it was", function()
    return scenario.text(0) ~= "\n"
  end)
  scenario.equal(scenario.text(0), "one of b\n", "of the last folder")
  vim.api.nvim_win_set_buf(0, in_b)
  vim.cmd.edit(require("tandem.documents").uri(scenario.root .. "/a/x.txt", "HEAD"))
  scenario.wait("the file as it was", function()
    return scenario.text(0) ~= "\n"
  end)
  scenario.equal(scenario.text(0), "one of a\n", "with a whole path, of its own folder")

  -- A request of one server stays while the other server withdraws one.
  vim.api.nvim_win_set_buf(0, in_a)
  vim.ui.select = function() end
  local questions = require("tandem.questions")
  local call = plugin.start("run_command", { command = "true" }, in_a)
  scenario.wait("the question is open", function()
    return questions.is_open() and #plugin.floats() == 1
  end)
  of_b.handlers["$/cancelRequest"](nil, { id = 1 }, { client_id = of_b.id })
  vim.wait(100)
  assert(questions.is_open(), "what one server takes back is none of the other's")
  of_a.handlers["$/cancelRequest"](nil, { id = 1 }, { client_id = of_a.id })
  local _, error = plugin.over(call)
  scenario.equal(error.code, "E_DENIED", "its own it takes back")

  -- A file that is saved under a name in another folder belongs to that folder.
  vim.cmd.edit(scenario.root .. "/a/moving.txt")
  local moving = vim.api.nvim_get_current_buf()
  scenario.equal(plugin.attached(moving).id, of_a.id, "a file of the one folder")
  vim.api.nvim_buf_set_lines(moving, 0, -1, true, { "moved" })
  vim.cmd.saveas(scenario.root .. "/b/moved.txt")
  scenario.wait("it has the other server, and no other", function()
    local clients = vim.lsp.get_clients({ name = "tandem", bufnr = moving })
    return #clients == 1 and clients[1].id == of_b.id
  end)
  vim.api.nvim_buf_set_lines(moving, 0, -1, true, { "unsaved" })
  local moved = assert(tandem.call("read_file", { path = "moved.txt" }, { bufnr = moving }))
  scenario.equal(moved.content, "unsaved\n", "which sees its unsaved text")

  -- Features that are turned on hold for every server, also after a restart and for new ones.
  vim.cmd("Tandem review on")
  local function is_shown(bufnr, text)
    local one = plugin.start(
      "apply_edit",
      { path = "x.txt", old_text = text, new_text = "new " .. text },
      bufnr
    )
    scenario.wait("the change is shown", function()
      return one.is_over or #plugin.floats() > 0
    end)
    assert(not one.is_over, "a change is shown before it is made: " .. vim.inspect(one))
    vim.cmd("Tandem review reject")
    plugin.over(one)
  end
  is_shown(in_b, "one")
  local old = of_a.id
  vim.api.nvim_win_set_buf(0, in_a)
  vim.cmd("Tandem restart")
  scenario.wait("another server", function()
    return plugin.attached(in_a).id ~= old
  end)
  is_shown(in_a, "two")
  scenario.write("c/x.txt", "one of c\n")
  vim.fn.mkdir(scenario.root .. "/c/.git", "p")
  is_shown((plugin.open("c/x.txt")), "one")

  -- If a folder's server has ended, no other server answers for it.
  vim.api.nvim_win_set_buf(0, in_b)
  scenario.method(plugin.attached(in_b), "stop", true)
  scenario.wait("it has gone", function()
    return #vim.lsp.get_clients({ name = "tandem", bufnr = in_b }) == 0
  end)
  local result
  result, error = tandem.call("read_file", { path = "x.txt" })
  scenario.equal(error and error.code, "E_UNAVAILABLE", "from its file: " .. vim.inspect(result))
  vim.cmd("help lsp | only")
  result, error = tandem.call("read_file", { path = "x.txt" })
  scenario.equal(
    error and error.code,
    "E_UNAVAILABLE",
    "nor from elsewhere: " .. vim.inspect(result)
  )
end)
