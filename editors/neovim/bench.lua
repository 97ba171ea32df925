-- Measures the cost of the plugin: `nvim -u NONE -l editors/neovim/bench.lua`, with `tandem` on the
-- PATH. Loading is timed in new Neovims; a key from its input until Neovim takes the next request, in a
-- file of 5,000 lines, without a server, with Neovim's own client, and with the plugin.
local here = vim.fs.dirname(vim.fs.normalize(vim.fn.fnamemodify(arg[0], ":p")))
local LOADS, KEYS = 40, 400

local folder = vim.fn.tempname()
vim.fn.mkdir(folder .. "/.git", "p")
local file = folder .. "/a.py"
local lines = {}
for index = 1, 1000 do
  vim.list_extend(lines, {
    ("def f_%d(prices):"):format(index),
    "    count = len(prices)",
    ("    return sum(prices) / count + %d"):format(index),
    "",
    "",
  })
end
vim.fn.writefile(lines, file)

local function editor()
  local command = { vim.v.progpath, "--embed", "--headless", "-u", "NONE", "-i", "NONE", "-n" }
  local child = vim.fn.jobstart(command, { rpc = true, cwd = folder })
  return function(code, ...)
    return vim.rpcrequest(child, "nvim_exec_lua", code, { ... })
  end,
    child
end

local function median(times)
  table.sort(times)
  return times[math.ceil(#times / 2)], times[math.ceil(#times * 0.95)]
end

local loads = {}
for _ = 1, LOADS do
  local there, child = editor()
  table.insert(
    loads,
    there(
      [[
    vim.opt.runtimepath:prepend(...)
    local start = vim.uv.hrtime()
    vim.cmd("runtime plugin/tandem.lua")
    return (vim.uv.hrtime() - start) / 1e6
  ]],
      here
    )
  )
  vim.fn.jobstop(child)
end
local middle, most = median(loads)
print(("loading: %.2f ms, 95 %% under %.2f ms"):format(middle, most))

local WAYS = {
  { "no server", "" },
  {
    "Neovim's own client",
    [[vim.lsp.start({ name = "tandem", cmd = { "tandem", "lsp" }, root_dir = vim.uv.cwd() })]],
  },
  {
    "the plugin",
    ([[vim.opt.runtimepath:prepend(%q) vim.cmd("runtime plugin/tandem.lua")]]):format(here),
  },
}
for _, way in ipairs(WAYS) do
  local there, child = editor()
  there([[vim.cmd("filetype on")]])
  if way[1] == "the plugin" then
    there(way[2])
  end
  there([[vim.cmd.edit(...)]], file)
  if way[1] == "Neovim's own client" then
    there(way[2])
  end
  if way[2] ~= "" then
    there([[
      return vim.wait(20000, function()
        local client = vim.lsp.get_clients({ name = "tandem" })[1]
        return client and client.initialized
      end, 20)
    ]])
    -- Wait until the workspace is indexed.
    vim.wait(1500)
  end
  local times = {}
  vim.rpcrequest(child, "nvim_input", "2500Go# ")
  for index = 1, KEYS do
    -- Faster than anyone types; a person's pace would take minutes.
    vim.wait(8)
    local start = vim.uv.hrtime()
    vim.rpcrequest(child, "nvim_input", string.char(97 + index % 26))
    vim.rpcrequest(child, "nvim_get_mode")
    vim.rpcrequest(child, "nvim_eval", "1")
    table.insert(times, (vim.uv.hrtime() - start) / 1e6)
  end
  middle, most = median(times)
  print(("a key, %s: %.3f ms, 95 %% under %.3f ms"):format(way[1], middle, most))
  vim.fn.jobstop(child)
end
vim.fn.delete(folder, "rf")
