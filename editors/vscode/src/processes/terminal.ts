// A process of the server as a terminal: its output while it runs, and what the person types as its input.
import * as vscode from "vscode";
import { failure } from "../server/failure";
import type { Server } from "../server/server";

/** A process as `process_list` describes it. */
export interface Process {
  id: string;
  name?: string;
  command: string;
  status: string;
  exit_code?: number;
  signal?: number;
  pty?: boolean;
  kept?: boolean;
}

/** A page of `process_output`. */
interface Page {
  output: string;
  next_cursor: string;
  more?: boolean;
  dropped?: number;
  status: string;
  exit_code?: number;
  signal?: number;
}

/** How long a call waits for output, in milliseconds. */
const PATIENCE = 25_000;
/** The pause between two pages, in milliseconds: a flood costs ten calls a second. */
const PAUSE = 100;
/** Longest piece of pasted text in one call, in UTF-16 units. */
const PIECE = 8_000;

const dim = (text: string) => `\x1b[2m${text}\x1b[0m`;

/** How a process ended. */
export function ending({
  status,
  exit_code,
  signal,
}: Pick<Page, "status" | "exit_code" | "signal">): string {
  if (status === "killed") {
    return "killed";
  }
  return signal === undefined ? `exited with code ${exit_code ?? 0}` : `ended by signal ${signal}`;
}

export class ProcessTerminal implements vscode.Pseudoterminal {
  private readonly written = new vscode.EventEmitter<string>();
  private readonly cancelled = new vscode.CancellationTokenSource();
  private readonly isTerminal: boolean;
  private isClosed = false;
  private hasEnded = false;
  /** What was typed and not sent, for a process without a terminal. */
  private line = "";
  /** Input is sent in order. */
  private sending: Promise<void> = Promise.resolve();

  readonly onDidWrite = this.written.event;

  constructor(
    private readonly server: Pick<Server, "call" | "callAsPerson">,
    private readonly process: Process,
    private readonly pause = PAUSE,
  ) {
    this.isTerminal = process.pty === true;
  }

  open(size: vscode.TerminalDimensions | undefined): void {
    if (size) {
      this.setDimensions(size);
    }
    void this.follow();
  }

  close(): void {
    this.isClosed = true;
    this.cancelled.cancel();
  }

  setDimensions({ rows, columns }: vscode.TerminalDimensions): void {
    if (this.isTerminal && this.process.status === "running") {
      this.send("process_input", { id: this.process.id, rows, columns });
    }
  }

  handleInput(data: string): void {
    if (this.hasEnded) {
      return;
    }
    if (this.isTerminal) {
      this.type(data);
      return;
    }
    // Without a terminal, nobody else echoes, edits a line, or turns keys into signals.
    for (const key of data) {
      this.key(key);
    }
  }

  private key(key: string): void {
    if (key === "\r" || key === "\n") {
      this.written.fire("\r\n");
      this.type(`${this.line}\n`);
      this.line = "";
    } else if (key === "\x7f" || key === "\b") {
      if (this.line !== "") {
        this.line = [...this.line].slice(0, -1).join("");
        this.written.fire("\b \b");
      }
    } else if (key === "\x03") {
      this.written.fire("^C\r\n");
      this.line = "";
      this.send("process_kill", { id: this.process.id, signal: "INT" });
    } else if (key === "\x04") {
      this.send("process_input", { id: this.process.id, eof: true });
    } else if (key >= " ") {
      this.line += key;
      this.written.fire(key);
    }
  }

  private type(text: string): void {
    for (let at = 0; at < text.length; at += PIECE) {
      const piece = text.slice(at, at + PIECE);
      this.send("process_input", { id: this.process.id, text: piece, newline: false });
    }
  }

  /** The person did it, so it needs no approval. */
  private send(tool: string, args: object): void {
    this.sending = this.sending.then(async () => {
      try {
        await this.server.callAsPerson(tool, args);
      } catch (error) {
        if (!this.hasEnded && !this.isClosed) {
          this.note(failure(error).message);
        }
      }
    });
  }

  /** Shows everything that is kept, and then what comes. */
  private async follow(): Promise<void> {
    const { id } = this.process;
    let cursor = "0";
    try {
      while (!this.isClosed) {
        const page: Page = await this.server.call<Page>(
          "process_output",
          { id, cursor, wait_ms: PATIENCE, raw: true },
          this.cancelled.token,
        );
        if (page.dropped) {
          this.note(`${page.dropped} bytes are no longer kept`);
        }
        this.show(page.output);
        cursor = page.next_cursor;
        if (page.status !== "running" && page.more !== true) {
          this.hasEnded = true;
          this.note(ending(page));
          return;
        }
        if (page.output !== "") {
          await new Promise((resolve) => setTimeout(resolve, this.pause));
        }
      }
    } catch (error) {
      if (!this.isClosed) {
        this.hasEnded = true;
        this.note(failure(error).message);
      }
    }
  }

  private show(output: string): void {
    if (output !== "") {
      // Pipes have line ends only; a terminal needs the way back to the first column, too.
      this.written.fire(this.isTerminal ? output : output.replace(/\r?\n/g, "\r\n"));
    }
  }

  private note(text: string): void {
    this.written.fire(`\r\n${dim(`[${text}]`)}\r\n`);
  }
}
