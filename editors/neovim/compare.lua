-- Measures what a person waits for with Tandem and with other servers, each in its own Neovim:
-- `nvim -u NONE -l editors/neovim/compare.lua`. `TANDEM_BIN` is the server (default: on the PATH),
-- `TANDEM_BASEDPYRIGHT` and `TANDEM_RUST_ANALYZER` the others, `TANDEM_PYTHON_TREE` and
-- `TANDEM_RUST_TREE` projects, `TANDEM_PYTHON_FILE` and `TANDEM_RUST_FILE` files in them, and
-- `TANDEM_ROUNDS` the number of rounds (5). The long files are concatenated from the trees' own, up to
-- 50,000 lines. Times are from the start of the server, with the file already open, to its first
-- highlights, to its first diagnostics of a mistake in the file, to the completion of a member at its
-- end, and to the same completion again.
local ROUNDS = tonumber(vim.env.TANDEM_ROUNDS or "") or 5
local PATIENCE = 90000

local folder = vim.fn.tempname()

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("*a")
  file:close()
  return text
end

local function write(path, text)
  vim.fn.mkdir(vim.fs.dirname(path), "p")
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

-- Up to 50,000 lines of complete files of a tree.
local function long(tree, ending)
  local parts, lines = {}, 0
  local found = vim.fs.find(function(name)
    return vim.endswith(name, "." .. ending)
  end, { path = tree, type = "file", limit = 2000 })
  table.sort(found)
  for _, path in ipairs(found) do
    local text = read(path)
    local count = select(2, text:gsub("\n", "\n"))
    local is_whole = vim.endswith(text, "\n") and not text:find("from __future__", 1, true)
    if count > 30 and is_whole and not path:find("/target/", 1, true) then
      table.insert(parts, text)
      lines = lines + count
    end
    if lines >= 50000 then
      break
    end
  end
  return table.concat(parts), lines
end

local KINDS = {
  python = {
    ending = "py",
    tree = vim.env.TANDEM_PYTHON_TREE,
    file = vim.env.TANDEM_PYTHON_FILE,
    -- A mistake that each server reports, and a member of a type that each knows.
    tail = "\n\nclass Shape:\n    def area_of_it(self) -> int:\n        return undefined_here\n\n\nshape = Shape()\nshape.",
    want = "area_of_it",
    peer = { "basedpyright", vim.env.TANDEM_BASEDPYRIGHT, { "--stdio" } },
  },
  rust = {
    ending = "rs",
    tree = vim.env.TANDEM_RUST_TREE,
    file = vim.env.TANDEM_RUST_FILE,
    tail = "\nstruct Shape;\nimpl Shape {\n    fn area_of_it(&self) -> u32 { 1 + }\n}\nfn shape_of_it(shape: Shape) {\n    shape.",
    want = "area_of_it",
    peer = { "rust-analyzer", vim.env.TANDEM_RUST_ANALYZER, {} },
  },
}

local function editor()
  local command = { vim.v.progpath, "--embed", "--headless", "-u", "NONE", "-i", "NONE", "-n" }
  local child = vim.fn.jobstart(command, { rpc = true, cwd = folder })
  return function(code, ...)
    return vim.rpcrequest(child, "nvim_exec_lua", code, { ... })
  end,
    child
end

-- One measurement: opens the file, starts the server and waits for each result.
local SCENE = [[
local path, cmd, root, language, want, patience = ...
vim.cmd.edit(path)
vim.bo.filetype = ""
local start = vim.uv.hrtime()
local times = {}
local function now() return (vim.uv.hrtime() - start) / 1e6 end
local buffer = vim.api.nvim_get_current_buf()
local publish = vim.lsp.handlers["textDocument/publishDiagnostics"]
local function note(list)
  if #list > 0 and not times.diagnostics then times.diagnostics = now() end
end
vim.lsp.handlers["textDocument/publishDiagnostics"] = function(err, result, ...)
  if result and vim.uri_to_fname(result.uri) == path then note(result.diagnostics) end
  return publish(err, result, ...)
end
vim.api.nvim_create_autocmd("DiagnosticChanged", {
  callback = function(event) note(event.data.diagnostics) end,
})
vim.api.nvim_create_autocmd("LspTokenUpdate", {
  callback = function() times.colours = times.colours or now() end,
})
local client_id = vim.lsp.start({
  name = "peer", cmd = cmd, root_dir = root,
  get_language_id = function() return language end,
  settings = { basedpyright = { analysis = { diagnosticMode = "openFilesOnly" } },
    ["rust-analyzer"] = { cargo = { buildScripts = { enable = false } }, checkOnSave = false,
      procMacro = { enable = false } } },
})
local client = vim.lsp.get_client_by_id(client_id)
vim.wait(patience, function() return client.initialized end, 2)
times.ready = now()
local last = vim.api.nvim_buf_line_count(buffer)
local column = #vim.api.nvim_buf_get_lines(buffer, last - 1, last, true)[1]
local function complete()
  local params = {
    textDocument = { uri = vim.uri_from_fname(path) },
    position = { line = last - 1, character = column },
    context = { triggerKind = 2, triggerCharacter = "." },
  }
  local answer
  client:request("textDocument/completion", params, function(_, result)
    answer = { result or {} }
  end, buffer)
  vim.wait(patience, function() return answer ~= nil end, 2)
  local items = answer and (answer[1].items or answer[1]) or {}
  for _, item in ipairs(items) do
    if vim.startswith(vim.trim(item.label), want) then return true end
  end
end
local began = vim.uv.hrtime()
while not times.completion and now() < patience do
  if complete() then times.completion = now() else vim.wait(50) end
end
vim.wait(math.max(0, patience - now()), function() return times.diagnostics ~= nil end, 5)
if client.server_capabilities.semanticTokensProvider then
  vim.wait(math.max(0, math.min(20000, patience - now())), function() return times.colours ~= nil end, 5)
end
vim.wait(1000)
-- A key typed before the popup opens.
local again = {}
for index = 1, 5 do
  local line = vim.api.nvim_buf_get_lines(buffer, last - 2, last - 1, true)[1]
  vim.api.nvim_buf_set_lines(buffer, last - 2, last - 1, true, { line .. (index % 2 == 1 and " " or "") })
  local from = vim.uv.hrtime()
  complete()
  table.insert(again, (vim.uv.hrtime() - from) / 1e6)
end
table.sort(again)
times.again = again[3]
-- Resident memory of the server and its child processes.
local function memory(pid)
  local total, status = 0, io.open(("/proc/%d/status"):format(pid))
  if not status then return 0 end
  total = tonumber(status:read("*a"):match("VmRSS:%s*(%d+)") or 0)
  status:close()
  for _, child in ipairs(vim.api.nvim_get_proc_children(pid)) do total = total + memory(child) end
  return total
end
for _, child in ipairs(vim.api.nvim_get_proc_children(vim.fn.getpid())) do
  times.memory = (times.memory or 0) + memory(child) / 1024
end
client:stop(true)
return times
]]

local function median(values)
  table.sort(values)
  return values[math.ceil(#values / 2)]
end

local function row(title, command, root, path, kind, language)
  local all = { colours = {}, diagnostics = {}, completion = {}, again = {}, memory = {} }
  for _ = 1, ROUNDS do
    local there, child = editor()
    local times = there(SCENE, path, command, root, language, kind.want, PATIENCE)
    for name, values in pairs(all) do
      table.insert(values, times[name])
    end
    vim.fn.jobstop(child)
  end
  local function shown(name)
    local values = all[name]
    if #values < ROUNDS then
      return #values == 0 and "none" or ("%d of %d"):format(#values, ROUNDS)
    end
    return ("%.0f"):format(median(values))
  end
  print(
    ("| %s | %s | %s | %s | %s | %s |"):format(
      title,
      shown("colours"),
      shown("diagnostics"),
      shown("completion"),
      shown("again"),
      shown("memory")
    )
  )
end

print("load at the start: " .. vim.trim(read("/proc/loadavg")))
print("\n| median, ms | colours | diagnostics | completion | again | MB |")
print("|---|---:|---:|---:|---:|---:|")
for language, kind in vim.spairs(KINDS) do
  if kind.tree and kind.file then
    local root = folder .. "/" .. language
    vim.fn.mkdir(root, "p")
    vim.fn.system({ "cp", "-rL", kind.tree .. "/.", root })
    vim.fn.mkdir(root .. "/.git", "p")
    local middle = root .. "/" .. kind.file
    write(middle, read(middle) .. kind.tail)
    local text, lines = long(kind.tree, kind.ending)
    local whole = (language == "rust" and root .. "/src" or vim.fs.dirname(middle)) .. "/long_of_all." .. kind.ending
    for _, one in ipairs({ { "middle", middle }, { ("%d lines"):format(lines), whole } }) do
      if one[2] == whole then
        write(whole, text .. kind.tail)
        -- A file that no other file mentions does not belong to a crate.
        if language == "rust" then
          write(root .. "/src/lib.rs", read(root .. "/src/lib.rs") .. "\nmod long_of_all;\n")
        end
      end
      local servers = {
        { "tandem", vim.env.TANDEM_BIN or "tandem", { "lsp" } },
        kind.peer,
      }
      for _, server in ipairs(servers) do
        if server[2] then
          local command = vim.list_extend({ server[2] }, server[3])
          local title = ("%s, %s, %s"):format(language, one[1], server[1])
          row(title, command, root, one[2], kind, language)
        end
      end
    end
  end
end
vim.fn.delete(folder, "rf")
