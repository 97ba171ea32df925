// Runs in every Node process of the debugged program, before its own code: opens the inspector, and reports to
// the debug adapter. Stands aside if the adapter has gone.
'use strict';
(() => {
  const pipe = process.env.TANDEM_NODE_DAP_PIPE;
  if (!pipe) return;
  const fs = require('fs');
  const { isMainThread } = require('worker_threads');
  const Module = require('module');
  const main = process.argv[1];
  if (isMainThread) {
    const inspector = require('inspector');
    const { O_WRONLY, O_NONBLOCK } = fs.constants;
    let out;
    try {
      // Fails if nobody reads.
      out = fs.openSync(pipe, O_WRONLY | O_NONBLOCK);
    } catch {
      return;
    }
    // A process that was started with an inspector is waited for by Node itself.
    const isOpen = inspector.url() !== undefined;
    if (!isOpen) inspector.open(0, '127.0.0.1');
    const hello = { pid: process.pid, parent: process.ppid, url: inspector.url(), main, isOpen };
    try {
      fs.writeSync(out, JSON.stringify(hello) + '\n');
    } catch {
      return;
    } finally {
      fs.closeSync(out);
    }
    // `fork` passes these on, and a port can be opened once.
    process.execArgv = process.execArgv.filter((one) => !one.startsWith('--inspect'));
    if (!isOpen) inspector.waitForDebugger();
  }
  // V8 stops before a script with a source map is run, but not before a CommonJS module.
  const compile = Module.prototype._compile;
  Module.prototype._compile = function (content, filename, ...rest) {
    const map = typeof content === 'string' && !filename.includes('/node_modules/')
      ? content.lastIndexOf('//# sourceMappingURL=') : -1;
    if (map >= 0) {
      const end = content.indexOf('\n', map);
      const url = content.slice(map + 21, end < 0 ? undefined : end).trim();
      tandemBeforeScript(filename, url);
    }
    return Reflect.apply(compile, this, [content, filename, ...rest]);
  };
  // The adapter reads the arguments of this function.
  function tandemBeforeScript(filename, url) {
    debugger;
  }
})();
