-- Another server on the same buffer: both see the same text, and the edits of one reach the other.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")
local plugin = require("plugin")

scenario.run(function()
  scenario.write("a.py", "def f():\n    return 1\n")
  vim.fn.mkdir(scenario.root .. "/.git", "p")
  plugin.load()
  local bufnr, client = plugin.open("a.py")
  local id = assert(vim.lsp.start({
    name = "another",
    cmd = { vim.env.TANDEM_BIN, "lsp" },
    root_dir = scenario.root,
  }, { bufnr = bufnr }))
  local another = assert(vim.lsp.get_client_by_id(id))
  scenario.wait("both are there", function()
    return another.initialized and #vim.lsp.get_clients({ bufnr = bufnr }) == 2
  end)
  scenario.equal(require("tandem.client").client(bufnr).id, client.id, "ours is the one by name")
  assert(require("tandem").call("apply_edit", { path = "a.py", old_text = "1", new_text = "2" }))
  local after = "def f():\n    return 2\n"
  scenario.equal(scenario.text(bufnr), after, "the buffer")
  scenario.equal(scenario.read(another, bufnr, "a.py"), after, "the other server sees it")
  scenario.call(another, bufnr, "apply_edit", { path = "a.py", old_text = "2", new_text = "3" })
  scenario.equal(scenario.read(client, bufnr, "a.py"), "def f():\n    return 3\n", "and ours")
  -- A server of another name that dies is not ours to start.
  local bystander = another.id
  scenario.method(another, "stop", true)
  scenario.wait("it has gone", function()
    return not vim.lsp.get_client_by_id(bystander)
  end)
  scenario.in_step(client, bufnr, "a.py")
end)
