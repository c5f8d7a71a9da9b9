/** What a session's environment says of it. */
export interface SessionPlace {
  /** `<run>.<iteration>.<fence>`; empty if the session is not known. */
  readonly attempt: string;
  readonly run: string;
  /** Absent in plan mode. */
  readonly task: string | undefined;
  readonly scope: string | undefined;
}

/** Identifies the session to processes inside it. */
export const ATTEMPT = "RALPHCTL_ATTEMPT";

/** Names the socket by which commands inside a session reach the run (L-07). */
export const DOOR = "RALPHCTL_DOOR";

/** All that tells a session. */
export const SESSION_VARIABLES: readonly string[] = [
  ATTEMPT,
  "RALPHCTL_RUN",
  "RALPHCTL_TASK",
  "RALPHCTL_SCOPE",
  "RALPHCTL_ITERATION",
  DOOR,
];

/**
 * The session that a command was called in; undefined when a person, or a program of theirs, called it (W-01). A variable
 * that only sessions have is enough, even empty (T-16): an agent that empties it is still an agent.
 */
export function sessionOf(env: Readonly<Record<string, string | undefined>>): SessionPlace | undefined {
  const attempt = env[ATTEMPT] ?? (env[DOOR] === undefined ? undefined : "");
  if (attempt === undefined) return undefined;
  return {
    attempt,
    // The attempt begins with its run, whatever has become of the other variable.
    run: filled(env["RALPHCTL_RUN"]) ?? attempt.replace(/\.[^.]*\.[^.]*$/, ""),
    task: filled(env["RALPHCTL_TASK"]),
    scope: filled(env["RALPHCTL_SCOPE"]),
  };
}

/** The door of the session that a command was called in. */
export const doorOf = (env: Readonly<Record<string, string | undefined>>): string | undefined => filled(env[DOOR]);

const filled = (text: string | undefined): string | undefined => (text === "" ? undefined : text);
