// Errors of tools and requests, as the server reports them.

export interface Told {
  code: string;
  message: string;
  recoverable?: boolean;
  hint?: string;
  details?: unknown;
}

export class ToolError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly hint?: string,
    readonly details?: unknown,
  ) {
    super(message);
    this.name = "ToolError";
  }

  /** For a notification. */
  get sentence(): string {
    return this.hint ? `${this.message} (${this.hint})` : this.message;
  }
}

/** Converts any error to one with a code: `E_INTERNAL` if it is not a tool's. */
export function failure(error: unknown): ToolError {
  if (error instanceof ToolError) {
    return error;
  }
  const data = isObject(error) ? error.data : undefined;
  if (isObject(data) && typeof data.code === "string" && typeof data.message === "string") {
    const hint = typeof data.hint === "string" ? data.hint : undefined;
    return new ToolError(data.code, data.message, hint, data.details);
  }
  if (isObject(error) && error.code === -32800) {
    return new ToolError("E_CANCELLED", "cancelled");
  }
  return new ToolError("E_INTERNAL", error instanceof Error ? error.message : String(error));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
