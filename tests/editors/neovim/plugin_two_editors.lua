-- Two editors on one folder: each has its server and is notified of what the other writes.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")
local plugin = require("plugin")

scenario.run(function()
  scenario.write("a.txt", "one\n")
  scenario.write("b.txt", "one\n")
  vim.fn.mkdir(scenario.root .. "/.git", "p")
  plugin.load()
  local tandem = require("tandem")
  plugin.open("a.txt")
  local command = { scenario.editor, "--embed", "--headless", "-u", "NONE", "-i", "NONE", "-n" }
  local other = vim.fn.jobstart(command, { rpc = true, cwd = scenario.root })
  local function there(code, ...)
    return vim.rpcrequest(other, "nvim_exec_lua", code, { ... })
  end
  there(
    [[
    vim.opt.runtimepath:prepend(...)
    vim.cmd("filetype on | runtime plugin/tandem.lua | edit b.txt")
    vim.wait(20000, function()
      local client = vim.lsp.get_clients({ name = "tandem" })[1]
      return client and client.initialized
    end, 20)
  ]],
    plugin.folder
  )
  local call = "return { require('tandem').call(...) }"
  local edit = { path = "a.txt", old_text = "one", new_text = "two" }
  there(call, "apply_edit", edit)
  scenario.equal(scenario.on_disk("a.txt"), "two\n", "the other editor writes a file on disk")
  vim.cmd.checktime()
  scenario.wait("this editor reads it anew", function()
    vim.cmd("silent! checktime")
    return scenario.text(0) == "two\n" or vim.cmd("silent! edit!")
  end)
  scenario.equal(tandem.call("read_file", { path = "a.txt" }).content, "two\n", "and so its server")
  assert(tandem.call("apply_edit", { path = "b.txt", old_text = "one", new_text = "three" }))
  scenario.equal(scenario.on_disk("b.txt"), "three\n", "and the other way round")
  vim.fn.jobstop(other)
end)
