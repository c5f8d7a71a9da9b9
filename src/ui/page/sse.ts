/** A message of an event stream. */
export interface SentEvent {
  readonly event: string;
  readonly data: string;
  /** Empty: it had none. */
  readonly id: string;
}

/** Reads an event stream, in whichever pieces it comes. */
export function createSseReader(take: (sent: SentEvent) => void): (text: string) => void {
  let rest = "";
  let fields: { event: string; data: string[]; id: string } = { event: "message", data: [], id: "" };
  const line = (text: string): void => {
    if (text === "") {
      if (fields.data.length > 0) take({ ...fields, data: fields.data.join("\n") });
      fields = { event: "message", data: [], id: "" };
      return;
    }
    const [, name = "", value = ""] = /^([^:]*)(?:: ?([^]*))?$/.exec(text) ?? [];
    if (name === "data") fields.data.push(value);
    else if (name === "event" || name === "id") fields[name] = value;
  };
  return (text) => {
    // A piece may end between the two signs of a line's end.
    const all = rest + text;
    const lines = all.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop()!;
    for (const each of lines) line(each);
  };
}
