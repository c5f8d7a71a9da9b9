import type { AgentEvent, Usage } from "./agent-event.ts";

/** A token is about as many characters. */
const TOKEN_LENGTH = 4;
/** What a CLI adds to each request, such as its own prompt and the description of its tools. In tokens. */
const OWN_TOKENS = 10_000;

/** What a session took, from what is seen of it alone. */
export interface StreamEstimate {
  readonly add: (event: AgentEvent) => void;
  /** Undefined as long as no model has answered. */
  readonly usage: () => Usage | undefined;
}

/**
 * For sessions whose CLI tells nothing: every request sends all that was said before, which a server reads from its cache,
 * and what is new. Results of tools are known in part only, so that it is rather too little.
 */
export function createStreamEstimate(prompt: string): StreamEstimate {
  let fresh = prompt.length;
  let sent = 0;
  let requests = 0;
  let isAnswering = false;
  let [input, cacheRead, output] = [0, 0, 0];
  const answered = (text: string): void => {
    if (!isAnswering) {
      requests += 1;
      input += fresh;
      cacheRead += sent;
      sent += fresh;
      fresh = 0;
    }
    isAnswering = true;
    output += text.length;
    fresh += text.length;
  };
  return {
    add: (event) => {
      if (event.type === "agent.text" || event.type === "agent.thinking") answered(event.text);
      if (event.type === "agent.tool") answered(event.input);
      if (event.type !== "agent.tool-result") return;
      isAnswering = false;
      fresh += event.output.length;
    },
    usage: () =>
      requests === 0
        ? undefined
        : {
            input: OWN_TOKENS + tokens(input),
            output: tokens(output),
            cacheRead: OWN_TOKENS * (requests - 1) + tokens(cacheRead),
            cacheWrite: 0,
          },
  };
}

const tokens = (characters: number): number => Math.ceil(characters / TOKEN_LENGTH);
