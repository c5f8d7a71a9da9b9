// The plain readers: the first start tag, its end tag, what is between them. They believe anything that contains a tag;
// the loop uses readSigils, which does not.

/** The id in the first `<task-done>`; undefined if there is none, or it is empty or unclosed. */
export const parseTaskDone = (text: string): string | undefined => between(text, "task-done");

/** The id in the first `<task-failed>`. */
export const parseTaskFailed = (text: string): string | undefined => between(text, "task-failed");

/** The word in the first `<promise>`. */
export const parsePromise = (text: string): string | undefined => between(text, "promise");

/** The models that every harness's hint may name. */
export const HINT_MODELS: readonly string[] = ["opus", "sonnet", "haiku"];

/** The model in the first `<next-model>`, if it is a known one. */
export function parseNextModelHint(text: string, models: readonly string[] = HINT_MODELS): string | undefined {
  const model = between(text, "next-model");
  return model !== undefined && models.includes(model) ? model : undefined;
}

function between(text: string, tag: string): string | undefined {
  const open = `<${tag}>`;
  const start = text.indexOf(open);
  if (start === -1) return undefined;
  const end = text.indexOf(`</${tag}>`, start + open.length);
  if (end === -1) return undefined;
  return text.slice(start + open.length, end).trim() || undefined;
}
