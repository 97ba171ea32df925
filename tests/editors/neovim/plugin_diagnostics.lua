-- What another language server finds is handed over with its version, and an agent's edit is answered with
-- it.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")
local plugin = require("plugin")

-- A language server in this process: every line with `bad` is a problem. It names versions, or not.
local function checker(options)
  return function(dispatchers)
    local texts = {}
    local function publish(uri, version)
      local found = {}
      for row, line in ipairs(vim.split(texts[uri], "\n")) do
        if line:find("bad", 1, true) then
          local at = { line = row - 1, character = 0 }
          local range = { start = at, ["end"] = at }
          table.insert(found, { range = range, severity = 1, code = 7, message = line })
        end
      end
      vim.defer_fn(function()
        dispatchers.notification("textDocument/publishDiagnostics", {
          uri = uri,
          version = options.version and version or nil,
          diagnostics = found,
        })
      end, options.delay)
    end
    local server, closing = {}, false
    local function close()
      if not closing then
        closing = true
        vim.schedule(function()
          dispatchers.on_exit(0, 0)
        end)
      end
    end
    server.terminate = close
    function server.is_closing()
      return closing
    end
    function server.request(method, _, callback)
      local result = vim.empty_dict()
      if method == "initialize" then
        result = { capabilities = { textDocumentSync = 1 } }
      end
      callback(nil, result)
      return true, 1
    end
    function server.notify(method, params)
      local document = params and params.textDocument
      if method == "textDocument/didOpen" then
        texts[document.uri] = document.text
        publish(document.uri, document.version)
      elseif method == "textDocument/didChange" then
        texts[document.uri] = params.contentChanges[1].text
        publish(document.uri, document.version)
      elseif method == "exit" then
        close()
      end
      return true
    end
    return server
  end
end

scenario.run(function()
  scenario.write("a.txt", "one\nbad old\nthree\n")
  plugin.load()
  local bufnr = plugin.open("a.txt")
  local function start(name, options)
    local config = { name = name, cmd = checker(options), root_dir = scenario.root }
    return assert(vim.lsp.start(config, { bufnr = bufnr }))
  end
  local id = start("checker", { version = true, delay = 50 })
  local function messages(list)
    return vim.tbl_map(function(one)
      return one.message
    end, list)
  end
  scenario.wait("it finds the first problem", function()
    return #vim.diagnostic.get(bufnr) == 1
  end)
  vim.wait(200)
  local call = plugin.start("apply_edit", {
    path = "a.txt",
    old_text = "one\n",
    new_text = "zero\none\nbad new\n",
    diagnostics = 10000,
  })
  local result = plugin.over(call)
  local found = result.diagnostics
  scenario.equal(messages(found.introduced), { "bad new" }, "only the new problem is new")
  scenario.equal(found.introduced[1].source, "checker", "its source is named")
  scenario.equal(found.introduced[1].line, 3, "and its line")
  scenario.equal(found.fixed, {}, "the one that moved is not fixed")
  scenario.equal(found.pending, {}, "everything has reported")
  scenario.equal(#vim.diagnostic.get(bufnr), 2, "the person sees both")
  vim.lsp.stop_client(id, true)

  -- One that is too slow is pending.
  scenario.write("b.txt", "fine\n")
  bufnr = plugin.open("b.txt")
  start("slow", { version = true, delay = 1500 })
  scenario.wait("it has reported once", function()
    vim.wait(1700)
    return true
  end)
  call = plugin.start("apply_edit", {
    path = "b.txt",
    old_text = "fine",
    new_text = "bad",
    diagnostics = 100,
  })
  result = plugin.over(call)
  scenario.equal(result.diagnostics.introduced, {}, "nothing is known yet")
  local pending = vim.tbl_map(function(one)
    return one.source
  end, result.diagnostics.pending)
  assert(vim.tbl_contains(pending, "slow"), vim.inspect(result.diagnostics))
end)
