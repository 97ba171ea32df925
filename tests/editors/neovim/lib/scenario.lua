-- What scenarios share: a workspace with files, the server attached, tools called, facts checked.
-- A scenario calls `scenario.run(function() ... end)`; an error in it ends Neovim with status 1.

local M = {}

M.root = assert(vim.uv.fs_realpath(vim.env.SCENARIO_WORKSPACE), "SCENARIO_WORKSPACE is set")

-- Longest wait for anything, in milliseconds.
local PATIENCE = 20000

-- Writes a file of the workspace byte by byte and returns its absolute path.
function M.write(path, text)
  local full = M.root .. "/" .. path
  vim.fn.mkdir(vim.fs.dirname(full), "p")
  local file = assert(io.open(full, "wb"))
  file:write(text)
  file:close()
  return full
end

-- The bytes of a file of the workspace as they are on disk.
function M.on_disk(path)
  local file = assert(io.open(M.root .. "/" .. path, "rb"))
  local text = file:read("*a")
  file:close()
  return text
end

function M.equal(actual, expected, what)
  if not vim.deep_equal(actual, expected) then
    error(
      ("%s\n  expected: %s\n  actual:   %s"):format(
        what,
        vim.inspect(expected),
        vim.inspect(actual)
      ),
      2
    )
  end
end

-- Waits until the condition holds; its value is returned.
function M.wait(what, condition)
  local value
  local ok = vim.wait(PATIENCE, function()
    value = condition()
    return value
  end, 20)
  if not ok then
    error("waited in vain until " .. what, 2)
  end
  return value
end

-- Starts the server, or joins the one that is running, for a buffer.
function M.attach(bufnr)
  local id = assert(vim.lsp.start({
    name = "tandem",
    cmd = { vim.env.TANDEM_BIN, "lsp", "--stdio" },
    root_dir = M.root,
  }, { bufnr = bufnr }))
  local client = assert(vim.lsp.get_client_by_id(id))
  M.wait("the server is initialized", function()
    return client.initialized and vim.lsp.buf_is_attached(bufnr, id)
  end)
  return client
end

-- Opens a file of the workspace with the server attached; returns the buffer and the client.
function M.open(path)
  vim.cmd.edit(vim.fn.fnameescape(M.root .. "/" .. path))
  local bufnr = vim.api.nvim_get_current_buf()
  return bufnr, M.attach(bufnr)
end

-- A method of a client, which takes the client itself since 0.11.
function M.method(client, name, ...)
  if vim.fn.has("nvim-0.11") == 1 then
    return client[name](client, ...)
  end
  return client[name](...)
end

-- This Neovim, where it is started by a script.
M.editor = vim.env.TANDEM_NVIM or vim.v.progpath

-- Sends a request as Neovim does, with this buffer's changes sent before it.
-- Returns the result and the error, one of them nil.
function M.request(client, method, params, bufnr)
  local answer, trouble = M.method(client, "request_sync", method, params, PATIENCE, bufnr)
  assert(answer, method .. " was not answered: " .. tostring(trouble))
  return answer.result, answer.err
end

-- Calls a tool by its command; returns the result and the error, one of them nil.
function M.try_call(client, bufnr, tool, arguments)
  local params = { command = "tandem." .. tool, arguments = { arguments } }
  return M.request(client, "workspace/executeCommand", params, bufnr)
end

-- Calls a tool that must succeed.
function M.call(client, bufnr, tool, arguments)
  local result, trouble = M.try_call(client, bufnr, tool, arguments)
  if trouble then
    error(("%s failed: %s"):format(tool, vim.inspect(trouble)), 2)
  end
  return result
end

-- A buffer's text as the protocol sees it.
function M.text(bufnr)
  local ends = { unix = "\n", dos = "\r\n", mac = "\r" }
  local ending = ends[vim.bo[bufnr].fileformat]
  local text = table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), ending)
  return vim.bo[bufnr].endofline and text .. ending or text
end

-- What the server says is in a file.
function M.read(client, bufnr, path)
  return M.call(client, bufnr, "read_file", { path = path }).content
end

-- The server's text of the buffer and the buffer itself must be one.
function M.in_step(client, bufnr, path)
  M.equal(M.read(client, bufnr, path), M.text(bufnr), "the server's text is the buffer's")
end

-- Where `needle` begins: {line, column}, both 0-based, the column in bytes.
function M.find(bufnr, needle)
  for line, text in ipairs(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)) do
    local column = text:find(needle, 1, true)
    if column then
      return { line - 1, column - 1 }
    end
  end
  error("the buffer has no " .. needle, 2)
end

-- Jumps as a person does with the cursor on a name, and waits for the place.
-- A server that still reads the workspace may be asked again.
function M.jump(from, needle, path, line)
  local place = M.find(from, needle)
  local function has_arrived()
    return vim.api.nvim_buf_get_name(0) == M.root .. "/" .. path
      and vim.api.nvim_win_get_cursor(0)[1] == line
  end
  M.wait(("the jump from `%s` to %s:%d"):format(needle, path, line), function()
    vim.api.nvim_win_set_buf(0, from)
    vim.api.nvim_win_set_cursor(0, { place[1] + 1, place[2] })
    assert(not has_arrived(), "a jump begins elsewhere")
    vim.lsp.buf.definition()
    return vim.wait(500, has_arrived, 10)
  end)
end

-- Runs a scenario and ends Neovim; its servers are shut down as at a person's `:quit`.
function M.run(body)
  vim.cmd("filetype on")
  vim.o.hidden = true
  -- What the server says on stderr is logged as an error.
  vim.lsp.set_log_level("warn")
  body()
  vim.lsp.stop_client(vim.lsp.get_clients())
  M.wait("every server has ended", function()
    return #vim.lsp.get_clients() == 0
  end)
  io.stdout:write("SCENARIO PASSED\n")
end

return M
