import { RalphError } from "../../domain/error.ts";
import type { Hook } from "../../domain/hook.ts";
import { NOTIFY_SERVICES, type NotifyService, type NotifyTarget } from "../../domain/notify.ts";
import { CALLS } from "../../domain/shipped-hook.ts";
import type { Surroundings, Workspace } from "../workspace.ts";

/** Longer than any service takes; the end of a run waits for it. */
const TIMEOUT_MS = 10_000;

export interface NotifyTargets {
  readonly targets: readonly (NotifyTarget & { readonly service: NotifyService })[];
  /** Why somebody is not told. */
  readonly notices: readonly string[];
}

/** Whom `notify` names. A variable that is not set is no error: another machine may have it. */
export function notifyTargets({ config, lookup }: Workspace, env: Surroundings["env"]): NotifyTargets {
  const targets: (NotifyTarget & { readonly service: NotifyService })[] = [];
  const notices: string[] = [];
  for (const service of NOTIFY_SERVICES) {
    const key = `notify.${service}`;
    const written = config.notify[service];
    if (written === null) continue;
    const variable = /^\$([A-Za-z_][A-Za-z0-9_]*)$/.exec(written)?.[1];
    const url = (variable === undefined ? written : (env[variable] ?? "")).trim();
    const place = lookup(key).origin.text;
    if (url === "") {
      notices.push(`${key} names the variable ${variable}, which is not set, so nobody is told there (${place})`);
      continue;
    }
    checkAddress({ key, place, service, url }, config.notify.telegramChat);
    targets.push({ service, url, chat: config.notify.telegramChat ?? undefined });
  }
  return { targets, notices };
}

interface Address {
  readonly key: string;
  readonly place: string;
  readonly service: NotifyService;
  readonly url: string;
}

function checkAddress({ key, place, service, url }: Address, chat: string | null): void {
  if (service === "telegram") {
    if (chat !== null && /^[\w:-]+$/.test(url)) return;
    throw new RalphError("config", `${key} needs the token of a bot and notify.telegramChat (${place})`, {
      hint: 'Write notify: { telegram: $TELEGRAM_BOT_TOKEN, telegramChat: "123456" }',
    });
  }
  const isUrl = /^https?:/i.test(url) && URL.canParse(url);
  if (isUrl && (service !== "ntfy" || new URL(url).pathname.length > 1)) return;
  const what = service === "ntfy" ? "such as https://ntfy.sh/TOPIC" : "that begins with https:// or http://";
  throw new RalphError("config", `${key} must be a URL ${what} (${place})`, {
    hint: "Correct it; ralphctl does not show the value, because such addresses are secrets",
  });
}

/** They run beside the loop, like all parallel hooks, and their failure is a line in the log. */
export const notifyHooks = (workspace: Workspace, env: Surroundings["env"]): Hook[] =>
  notifyTargets(workspace, env).targets.map((target) => ({
    id: `notify-${target.service}`,
    on: CALLS,
    work: { kind: "webhook", ...target },
    parallel: true,
    timeoutMs: TIMEOUT_MS,
  }));
