-- The commands of the plugin's README install it: a new Neovim attaches by itself.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")
local plugin = require("plugin")

scenario.run(function()
  scenario.write("a.py", "x = 1\n")
  vim.fn.mkdir(scenario.root .. "/.git", "p")
  local readme = table.concat(vim.fn.readfile(plugin.folder .. "/README.md"), "\n")
  local commands = assert(readme:match("```sh\n(.-)```"), "the README says how")
  local repository = vim.fs.normalize(plugin.folder .. "/../..")
  local done = vim.system({ "sh", "-ec", commands }, { cwd = repository }):wait()
  assert(done.code == 0, vim.inspect(done))
  local command = { scenario.editor, "--embed", "--headless", "-i", "NONE", "-n", "a.py" }
  local home = vim.env.HOME .. "/.local/share"
  local other = vim.fn.jobstart(command, {
    rpc = true,
    cwd = scenario.root,
    env = { XDG_DATA_HOME = home },
  })
  local function there(code)
    return vim.rpcrequest(other, "nvim_exec_lua", code, {})
  end
  scenario.wait("it attaches by itself", function()
    return there([[
      local client = vim.lsp.get_clients({ name = "tandem", bufnr = 0 })[1]
      return client and client.initialized or false
    ]])
  end)
  local result = there([[
    local edit = { path = "a.py", old_text = "1", new_text = "2" }
    local result, error = require("tandem").tools.apply_edit(edit)
    return { result and result.changed, vim.api.nvim_buf_get_lines(0, 0, -1, true) }
  ]])
  scenario.equal(result, { true, { "x = 2" } }, "a first patch")
  vim.fn.jobstop(other)
end)
