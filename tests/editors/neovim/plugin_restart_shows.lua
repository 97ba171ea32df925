-- Features turned on for a buffer are on again after a server restart.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")
local plugin = require("plugin")

scenario.run(function()
  scenario.write("a.py", "def show(name, width): pass\nshow('a', 2)\nshow('b', 3)\n")
  vim.fn.mkdir(scenario.root .. "/.git", "p")
  plugin.load()
  local bufnr = plugin.open("a.py")
  local function hints()
    return #vim.lsp.inlay_hint.get({ bufnr = bufnr }) > 0
  end
  local function lenses()
    return #vim.lsp.codelens.get(bufnr) > 0
  end
  vim.lsp.inlay_hint.enable(true, { bufnr = bufnr })
  scenario.wait("there are hints", hints)
  scenario.wait("there are lenses", function()
    vim.lsp.codelens.refresh({ bufnr = bufnr })
    return vim.wait(200, lenses)
  end)
  local client = plugin.attached(bufnr)
  vim.uv.kill(plugin.process(client), "sigkill")
  scenario.wait("the client is gone", function()
    return not vim.lsp.get_client_by_id(client.id)
  end)
  plugin.attached(bufnr)
  scenario.wait("hints are on again", function()
    return vim.lsp.inlay_hint.is_enabled({ bufnr = bufnr }) and hints()
  end)
  scenario.wait("lenses are there again", lenses)
  vim.cmd("Tandem restart")
  scenario.wait("and after a restart by hand", function()
    local new = vim.lsp.get_clients({ name = "tandem", bufnr = bufnr })[1]
    return new and new.initialized and hints() and lenses()
  end)
end)
