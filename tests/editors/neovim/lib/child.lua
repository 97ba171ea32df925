-- A second Neovim with the plugin, which is typed into as a person types: its main loop runs.

local plugin = require("plugin")
local scenario = require("scenario")

local M = {}
M.__index = M

-- Starts one in the workspace and opens a file there.
function M.start(path)
  local command = { scenario.editor, "--embed", "--headless", "-u", "NONE", "-i", "NONE", "-n" }
  local job = vim.fn.jobstart(command, { rpc = true, cwd = scenario.root })
  local self = setmetatable({ job = job }, M)
  self:run(
    [[
    local folder, path = ...
    vim.opt.runtimepath:prepend(folder)
    _G.said, _G.chosen = {}, {}
    vim.notify = function(text) table.insert(_G.said, text) end
    -- What is offered is kept; `_G.answer` is what the person takes.
    vim.ui.select = function(items, opts, done)
      table.insert(_G.chosen, opts.prompt)
      done(_G.answer and items[_G.answer] or nil)
    end
    vim.cmd("filetype on | runtime plugin/tandem.lua")
    vim.cmd.edit(path)
  ]],
    plugin.folder,
    path
  )
  self:wait(
    "its server is there",
    [[
    local client = vim.lsp.get_clients({ name = "tandem" })[1]
    return client and client.initialized and vim.lsp.buf_is_attached(0, client.id)
  ]]
  )
  return self
end

-- Runs Lua there and returns what it returns.
function M:run(code, ...)
  return vim.rpcrequest(self.job, "nvim_exec_lua", code, { ... })
end

-- Types keys, in the notation of mappings.
function M:type(keys)
  vim.rpcrequest(self.job, "nvim_input", keys)
end

-- Waits until Lua there returns something true.
function M:wait(what, code, ...)
  local arguments = { ... }
  return scenario.wait(what, function()
    local value = self:run(code, unpack(arguments))
    return value ~= vim.NIL and value
  end)
end

-- Whether it asks whether to go on.
function M:is_asking()
  return vim.rpcrequest(self.job, "nvim_get_mode").mode == "r?"
end

function M:stop()
  vim.fn.jobstop(self.job)
end

return M
