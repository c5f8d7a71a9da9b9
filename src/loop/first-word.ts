import type { AgentEvent } from "../domain/agent-event.ts";
import type { Harness, Session } from "../harness/harness.ts";

/** How long an agent may be silent after its start before somebody is told. */
const SILENCE_MS = 10_000;

interface FirstWord {
  readonly heard: () => void;
  readonly close: () => void;
}

/**
 * Tells once if an agent is silent after its start, and which servers of tools may keep it waiting: CLIs wait for these for
 * up to minutes, without a word. Programs that print plain text are silent anyway.
 */
export function watchFirstWord(harness: Harness, session: Session, say: (event: AgentEvent) => void): FirstWord {
  const { facts } = harness.speaksLike?.(session.settings) ?? harness;
  if (facts.usage === "none" || facts.isPlayed === true) return { heard: () => undefined, close: () => undefined };
  const timer = setTimeout(() => say({ type: "agent.notice", text: noticeOf(harness, session) }), SILENCE_MS);
  const close = (): void => clearTimeout(timer);
  return { heard: close, close };
}

function noticeOf({ facts, servers }: Harness, session: Session): string {
  const names = (servers?.(session) ?? []).map(({ name }) => name);
  const silent = `${facts.title} has said nothing in the ${SILENCE_MS / 1000} seconds since its start`;
  if (names.length === 0) return silent;
  const [what, which] =
    names.length === 1 ? ["an MCP server", "whether it answers"] : ["MCP servers", "which of them answer"];
  return `${silent}. It may be waiting for ${what}: ${names.join(", ")}. ralphctl doctor --probe tells ${which}`;
}
