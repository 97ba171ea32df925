// What the server sends, under the names of the tools' results.

export interface Call {
  id: string;
  tool: string;
  title: string;
  state: "running" | "done" | "failed" | "denied";
  started: number;
  duration_ms?: number;
  files: string[];
  action?: string;
  error?: string;
  client?: string;
}

export interface Approval {
  id: string;
  tool: string;
  question: string;
  asked_at: string;
  answers: { name: string; title: string }[];
}

export interface Health {
  memory_bytes: number;
  threads: number;
  running_calls: number;
}

export interface ChatNews {
  session: string;
  message?: Message;
  plan?: PlanStep[];
  status?: string;
  ended?: string;
}

export type ServerEvent =
  | { type: "hello"; workspace: string; version: string; calls: Call[] }
  | { type: "call"; data: Call }
  | { type: "approvals"; data: Approval[] }
  | { type: "chat"; data: ChatNews }
  | { type: "health"; data: Health };

export interface Action {
  id: string;
  time: string;
  tool: string;
  summary: string;
  files: { path: string; kind: string }[];
  files_left_out?: number;
  state: string;
  undoable: boolean;
  group?: string;
  undoes?: string;
}

export interface Undone {
  summary: string;
  changed: boolean;
  files: { path: string; kind: string; diff?: string }[];
}

export interface Process {
  id: string;
  name?: string;
  status: string;
  exit_code?: number;
  command: string;
  duration_ms: number;
}

export interface Build {
  id: string;
  check: string;
  runner: string;
  project: string;
  status: string;
  started_at: string;
  duration_ms: number;
  passed: number;
  failed: number;
  errors: number;
  warnings: number;
}

export interface BuildWhole extends Build {
  command: string;
  failures?: { name: string; file?: string; line?: number; message: string; diff?: string; output?: string }[];
  diagnostics?: { file?: string; line?: number; severity: string; message: string }[];
}

export interface Session {
  id: string;
  name: string;
  agent: string;
  status: string;
  created_at: string;
  ended?: string;
  doing?: string;
}

export interface Message {
  number: number;
  role: "user" | "assistant" | "tool" | "system";
  content: string;
  timestamp: string;
  kind?: string;
  status?: string;
  truncated?: boolean;
}

export interface PlanStep {
  content: string;
  status: string;
  priority: string;
}

export interface SessionHistory {
  session: Session;
  plan: PlanStep[];
  messages: Message[];
  next_cursor?: string;
}

export interface Overview {
  repositories: number;
  processes: number;
  active_sessions: number;
  sessions: number;
  messages: number;
  builds: { total: number; passed: number; failed: number; average_ms?: number; success_rate?: number };
}
