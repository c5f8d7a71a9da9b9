/** Sigils with what they hold, wherever they stand: they are for us, not for whoever reads the text later. */
const SIGIL = /<(task-done|task-failed|promise|next-model)>[^<]{0,200}<\/\1>/g;

/** What an agent said, without its sigils. */
export const withoutSigils = (text: string): string =>
  text
    .replaceAll(SIGIL, "")
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .trim();

/** The end of a long text: what an agent comes to stands there. */
export const cutText = (text: string, length: number): string =>
  text.length <= length ? text : `… ${text.slice(text.length - length + 2).trimStart()}`;
