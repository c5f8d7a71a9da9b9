/** Whether a text can be the id of a run: it becomes part of file names, refs and environments (W-05). */
export const isRunId = (value: unknown): value is string =>
  typeof value === "string" && /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$/.test(value);
