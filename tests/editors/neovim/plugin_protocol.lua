-- A server with another protocol version is not used, and a message says what to do.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")
local plugin = require("plugin")

-- A server that says that it speaks the protocol of tomorrow.
local FAKE = [[
local input = assert(vim.uv.new_pipe())
input:open(0)
local got = ""
input:read_start(function(_, more)
  if not more then
    os.exit(0)
  end
  got = got .. more
  while true do
    local _, head, length = got:find("^Content%-Length: (%d+)\r\n\r\n")
    if not head or #got < head + tonumber(length) then
      return
    end
    local message = vim.json.decode(got:sub(head + 1, head + tonumber(length)))
    got = got:sub(head + tonumber(length) + 1)
    if message.id then
      local result = vim.NIL
      if message.method == "initialize" then
        result = {
          capabilities = { experimental = { tandem = { protocol = 99 } } },
          serverInfo = { name = "tandem", version = "9.9.9" },
        }
      end
      local body = vim.json.encode({ jsonrpc = "2.0", id = message.id, result = result })
      io.stdout:write(("Content-Length: %d\r\n\r\n%s"):format(#body, body))
      io.stdout:flush()
    end
  end
end)
vim.wait(60000)
]]

scenario.run(function()
  scenario.write("a.txt", "one\n")
  vim.fn.mkdir(scenario.root .. "/.git", "p")
  local fake = scenario.write("fake.lua", FAKE)
  plugin.load()
  require("tandem").setup({ cmd = { scenario.editor, "-l", fake } })
  vim.cmd.edit(scenario.root .. "/a.txt")
  local said = plugin.wait_said("the server 9.9.9 speaks protocol 99 and this plugin 1")
  assert(said:find("update the plugin", 1, true), said)
  scenario.wait("it is left alone", function()
    return #vim.lsp.get_clients({ name = "tandem" }) == 0
  end)
  vim.wait(700)
  scenario.equal(vim.lsp.get_clients({ name = "tandem" }), {}, "and not started again")
end)
