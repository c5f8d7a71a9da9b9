import { type ContextPlace, overwriteContext } from "../../scope/scope.ts";
import type { Store } from "../../store/store.ts";

/** F-06: what people tell agents, of all scopes; each machine has a copy in the files that prompts are made from. */
const KEY = "contexts";

type Texts = Readonly<Record<string, string>>;

const textsOf = (value: unknown): Texts => (value ?? {}) as Texts;

/** Changes the context of a scope for all machines. */
export async function changeShared(
  store: Pick<Store, "updateMeta">,
  place: ContextPlace,
  change: (before: string) => string,
): Promise<void> {
  const all = await store.updateMeta(KEY, (value) => {
    const texts = textsOf(value);
    return { ...texts, [place.scope]: change(texts[place.scope] ?? "") };
  });
  await overwriteContext(place, textsOf(all)[place.scope] ?? "");
}

/** Brings the files of this machine up to date. A scope that the fleet has no context of keeps its own. */
export async function syncContexts(store: Pick<Store, "getMeta">, home: string): Promise<void> {
  const texts = textsOf(await store.getMeta(KEY));
  for (const [scope, text] of Object.entries(texts))
    await overwriteContext({ home, scope, limitBytes: Infinity }, text);
}
