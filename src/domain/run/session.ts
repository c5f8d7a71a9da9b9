/** What a session's environment says of it. */
export interface SessionPlace {
  /** `<run>.<iteration>.<fence>` */
  readonly attempt: string;
  readonly run: string;
  /** Absent in plan mode. */
  readonly task: string | undefined;
  readonly scope: string | undefined;
}

/** The session that a command was called in; undefined when a person, or a program of theirs, called it (W-01). */
export function sessionOf(env: Readonly<Record<string, string | undefined>>): SessionPlace | undefined {
  const attempt = filled(env["RALPHCTL_ATTEMPT"]);
  if (attempt === undefined) return undefined;
  return {
    attempt,
    // The attempt begins with its run, whatever has become of the other variable.
    run: filled(env["RALPHCTL_RUN"]) ?? attempt.replace(/\.[^.]*\.[^.]*$/, ""),
    task: filled(env["RALPHCTL_TASK"]),
    scope: filled(env["RALPHCTL_SCOPE"]),
  };
}

/** Names the socket by which commands inside a session reach the run (L-07). */
export const DOOR = "RALPHCTL_DOOR";

/** The door of the session that a command was called in. */
export const doorOf = (env: Readonly<Record<string, string | undefined>>): string | undefined =>
  sessionOf(env) === undefined ? undefined : filled(env[DOOR]);

const filled = (text: string | undefined): string | undefined => (text === "" ? undefined : text);
