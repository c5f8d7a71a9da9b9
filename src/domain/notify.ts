/** Services that a run can tell that it ended or needs somebody. */
export const NOTIFY_SERVICES = ["ntfy", "slack", "discord", "telegram", "webhook"] as const;

export type NotifyService = (typeof NOTIFY_SERVICES)[number];

/** Where a message goes. */
export interface NotifyTarget {
  readonly url: string;
  /** Default: `slack`, whose format other services take, too. */
  readonly service?: NotifyService | undefined;
  /** Of Telegram. */
  readonly chat?: string | undefined;
}

export interface NotifyMessage {
  /** The workspace. */
  readonly title: string;
  readonly text: string;
  /** Everything about it, for programs. */
  readonly event: unknown;
}

/** The longest text that Discord takes is 2000 characters. */
const LONGEST = 1900;

/** The request that tells a service. Titles of tasks are in the text: they cannot call a whole channel. */
export function notifyRequest(
  { url, service = "slack", chat }: NotifyTarget,
  { title, text, event }: NotifyMessage,
): { readonly url: string; readonly body: unknown } {
  const line = `${title}: ${text}`.slice(0, LONGEST);
  if (service === "webhook") return { url, body: event };
  if (service === "discord") return { url, body: { content: line, allowed_mentions: { parse: [] } } };
  if (service === "telegram") return { url: `${TELEGRAM}/bot${url}/sendMessage`, body: { chat_id: chat, text: line } };
  if (service === "ntfy") return ntfyRequest(url, { title, text });
  return { url, body: { text: withoutMentions(`${title}: ${text}`) } };
}

const TELEGRAM = "https://api.telegram.org";

/** As JSON, because headers cannot hold every letter. The last part of the address is the topic. */
function ntfyRequest(address: string, { title, text }: Pick<NotifyMessage, "title" | "text">) {
  const url = new URL(address);
  const parts = url.pathname.split("/").filter(Boolean);
  const topic = parts.pop();
  url.pathname = `/${parts.join("/")}`;
  return { url: url.href, body: { topic, title: `ralphctl: ${title}`, message: text } };
}

/** Slack reads mentions in angle brackets. */
const withoutMentions = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
