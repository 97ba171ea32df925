// Conversations with agents.

import { useEffect, useRef, useState } from "preact/hooks";
import { call } from "./api";
import { describe, Empty, Problem, State, time, useCall } from "./parts";
import { useChat } from "./store";
import type { Message, PlanStep, Session, SessionHistory } from "./types";

export function Sessions() {
  const [open, setOpen] = useState<string>();
  const [name, setName] = useState("");
  const [problem, setProblem] = useState<string>();
  const [changes, setChanges] = useState(0);
  useChat((news) => (news.status || news.ended) && setChanges((count) => count + 1));
  const sessions = useCall<{ sessions: Session[] }>("session_list", {}, changes);
  const list = sessions.value?.sessions ?? [];
  const create = (event: Event) => {
    event.preventDefault();
    call<{ session: Session }>("session_create", { name }).then(
      ({ session }) => {
        setName("");
        setProblem(undefined);
        setOpen(session.id);
        sessions.reload();
      },
      (failure: unknown) => setProblem(describe(failure)),
    );
  };
  return (
    <>
      <form class="filters" onSubmit={create}>
        <label>
          New session{" "}
          <input required maxLength={100} value={name} onInput={(event) => setName(event.currentTarget.value)} />
        </label>
        <button type="submit">Create</button>
      </form>
      <Problem text={problem ?? sessions.error} />
      {sessions.value && list.length === 0 ? <Empty>No sessions.</Empty> : null}
      <ul class="rows">
        {list.map((session) => (
          <li key={session.id}>
            <State name={session.status} />
            <div class="main">
              {session.name}
              {session.ended && session.ended !== "end_turn" ? <span class="detail">{session.ended}</span> : null}
              {open === session.id ? <Chat id={session.id} isWorking={session.status === "working"} /> : null}
            </div>
            <span class="side">
              {session.id} · {session.agent} · {time(session.created_at)}{" "}
              <button
                type="button"
                aria-expanded={open === session.id}
                onClick={() => setOpen(open === session.id ? undefined : session.id)}
              >
                Open
              </button>
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Chat({ id, isWorking }: { id: string; isWorking: boolean }) {
  const [messages, setMessages] = useState<Message[]>([]);
  const [plan, setPlan] = useState<PlanStep[]>([]);
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string>();
  const [isSending, setSending] = useState(false);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    call<SessionHistory>("session_history", { session: id, limit: 100 }).then(
      (history) => {
        setMessages(history.messages);
        setPlan(history.plan);
      },
      (failure: unknown) => setProblem(describe(failure)),
    );
  }, [id]);
  useChat((news) => {
    if (news.session !== id) {
      return;
    }
    const { message, plan: changed } = news;
    if (message) {
      setMessages((known) => [...known.filter((one) => one.number !== message.number), message].sort(byNumber));
    }
    if (changed) {
      setPlan(changed);
    }
  });
  useEffect(() => end.current?.scrollIntoView({ block: "nearest" }), [messages]);
  const send = (event: Event) => {
    event.preventDefault();
    setSending(true);
    call("session_send", { session: id, message: text })
      .then(
        () => {
          setText("");
          setProblem(undefined);
        },
        (failure: unknown) => setProblem(describe(failure)),
      )
      .finally(() => setSending(false));
  };
  const stop = () =>
    call("session_send", { session: id, stop: true }).catch((failure: unknown) => setProblem(describe(failure)));
  return (
    <div class="chat">
      {plan.length > 0 ? (
        <ol class="plan" aria-label="Plan">
          {plan.map((step, at) => (
            <li key={at}>
              <State name={step.status} /> {step.content}
            </li>
          ))}
        </ol>
      ) : null}
      <div class="messages" role="log" tabIndex={0} aria-label="Messages">
        {messages.map((message) => (
          <div key={message.number} class={`message ${message.role}`}>
            <span class="who">
              {message.role} {time(message.timestamp)} {message.status ? <State name={message.status} /> : null}
            </span>
            <p>
              {message.content}
              {message.truncated ? " […]" : ""}
            </p>
          </div>
        ))}
        <div ref={end} />
      </div>
      <form onSubmit={send}>
        <label>
          <span class="hidden">Message</span>
          <textarea
            rows={3}
            required
            placeholder="Message"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <div class="buttons">
          <button type="submit" disabled={isSending || isWorking}>
            {isSending ? "Waiting for approval…" : "Send"}
          </button>
          {isWorking ? (
            <button type="button" onClick={() => void stop()}>
              End the turn
            </button>
          ) : null}
        </div>
      </form>
      <Problem text={problem} />
    </div>
  );
}

function byNumber(one: Message, other: Message): number {
  return one.number - other.number;
}
