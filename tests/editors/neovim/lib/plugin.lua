-- The plugin as a person has it: on the runtimepath, its `tandem` on the PATH, and nothing set up.

local scenario = require("scenario")

local M = {}

M.folder = vim.fs.normalize(vim.env.SCENARIO_LIBRARY .. "/../../../../editors/neovim")

-- What was said to the person.
M.said = {}

-- Puts the plugin on the runtimepath, as a package manager does.
function M.load()
  vim.opt.runtimepath:prepend(M.folder)
  package.loaded["tandem"] = nil
  vim.notify = function(text)
    table.insert(M.said, text)
  end
  vim.cmd("runtime plugin/tandem.lua")
end

-- Waits until something with this text has been said.
function M.wait_said(needle)
  return scenario.wait(("`%s` is said; said was %s"):format(needle, vim.inspect(M.said)), function()
    for _, text in ipairs(M.said) do
      if text:find(needle, 1, true) then
        return text
      end
    end
  end)
end

-- Waits until the buffer's server is ready.
function M.attached(bufnr)
  local client = scenario.wait("the plugin attaches by itself", function()
    local client = vim.lsp.get_clients({ name = "tandem", bufnr = bufnr })[1]
    return client and client.initialized and not client:is_stopped() and client
  end)
  return client
end

-- Opens a file as a person does.
function M.open(path)
  vim.cmd.edit(vim.fn.fnameescape(scenario.root .. "/" .. path))
  local bufnr = vim.api.nvim_get_current_buf()
  return bufnr, M.attached(bufnr)
end

-- The windows that float, and their lines.
function M.floats()
  local found = {}
  for _, winid in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(winid).relative ~= "" then
      local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(winid), 0, -1, false)
      table.insert(found, { winid = winid, lines = lines, text = table.concat(lines, "\n") })
    end
  end
  return found
end

-- Calls a tool and does not wait; returns a table that gets `error`, `result` and `is_over`.
function M.start(tool, params, bufnr)
  local call = {}
  require("tandem").call(tool, params, {
    bufnr = bufnr,
    on_done = function(error, result)
      call.error, call.result, call.is_over = error, result, true
    end,
  })
  return call
end

-- Waits for the end of such a call.
function M.over(call)
  scenario.wait("the call is answered", function()
    return call.is_over
  end)
  return call.result, call.error
end

-- The process of a client's server.
function M.process(client)
  local found
  local function read(path)
    local file = io.open(path)
    local text = file and file:read("*a")
    if file then
      file:close()
    end
    return text or ""
  end
  for pid in vim.fs.dir("/proc") do
    local parent = read("/proc/" .. pid .. "/stat"):match("%) %S (%d+)")
    local command = parent and read("/proc/" .. pid .. "/cmdline") or ""
    if tonumber(parent) == vim.fn.getpid() and command:find("lsp", 1, true) then
      found = tonumber(pid)
    end
  end
  return assert(found, "the server's process of client " .. client.id)
end

return M
