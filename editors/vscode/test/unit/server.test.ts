import assert from "node:assert/strict";
import { test } from "node:test";
import { candidates, find, type Places } from "../../src/server/binary";
import { failure } from "../../src/server/failure";
import { problem } from "../../src/server/protocol";
import { MOST, Restarts, WINDOW } from "../../src/server/restarts";

const here: Places = {
  setting: "",
  path: "/usr/bin:.:node_modules/.bin:/opt/bin",
  home: "/home/me",
  extension: "/ext",
  isWindows: false,
};

test("programs are looked for in order, and never in a relative folder", () => {
  assert.deepEqual(
    candidates(here).map(({ file }) => file),
    ["/usr/bin/tandem", "/opt/bin/tandem", "/home/me/.cargo/bin/tandem", "/ext/server/tandem"],
  );
});

test("a setting is the only place", () => {
  const setting = { ...here, setting: "~/bin/tandem" };
  assert.deepEqual(find(setting, () => true), { file: "/home/me/bin/tandem", origin: "setting" });
  const missing = find(setting, (file) => file === "/usr/bin/tandem");
  assert.match("missing" in missing ? missing.missing : "", /\/home\/me\/bin\/tandem.*not a program/);
  const relative = find({ ...here, setting: "bin/tandem" }, () => true);
  assert.match("missing" in relative ? relative.missing : "", /not an absolute path/);
});

test("without a program the message says how to get one", () => {
  const found = find(here, () => false);
  assert.match("missing" in found ? found.missing : "", /cargo install --path server\/tandem/);
});

test("another server and another protocol are refused", () => {
  const server = { name: "tandem", version: "0.1.0" };
  const told = (protocol: unknown) => ({
    serverInfo: server,
    capabilities: { experimental: { tandem: { protocol } } },
  });
  assert.equal(problem(told(1), "/t"), undefined);
  assert.match(problem(told(2), "/t") ?? "", /speaks protocol 2.*Update the extension/);
  assert.match(problem(told(0), "/t") ?? "", /speaks protocol 0.*Update the server/);
  const other = { serverInfo: { name: "clangd" }, capabilities: {} };
  assert.match(problem(other, "/t") ?? "", /another language server \(clangd\)/);
  assert.match(problem(undefined, "/t") ?? "", /another language server/);
});

test("a server that keeps dying is left alone", () => {
  const restarts = new Restarts();
  for (let death = 1; death < MOST; death++) {
    assert.notEqual(restarts.died(1_000 * death), undefined);
  }
  assert.equal(restarts.died(1_000 * MOST), undefined);
  restarts.forget();
  assert.equal(restarts.died(1_000 * MOST), 0);
});

test("deaths of long ago do not count", () => {
  const restarts = new Restarts();
  for (let death = 0; death < 50; death++) {
    assert.notEqual(restarts.died((death * WINDOW) / 2), undefined);
  }
});

test("any failure has a code", () => {
  const data = { code: "E_NO_MATCH", message: "nowhere", hint: "look" };
  assert.equal(failure({ code: -32803, message: "x", data }).sentence, "nowhere (look)");
  assert.equal(failure({ code: -32800, message: "x" }).code, "E_CANCELLED");
  assert.equal(failure(new Error("odd")).code, "E_INTERNAL");
  assert.equal(failure("odd").message, "odd");
});
