import { act } from "./client.ts";
import { refreshAll } from "./loaded.ts";
import { attemptTo } from "./toast.tsx";

/** Does something, tells the person what came of it, and says whether it worked. */
export type Act = (verb: string, body: Readonly<Record<string, unknown>>) => Promise<boolean>;

/** U-04: by the server; whatever is shown is asked for again. A refusal says that it is no longer so. */
export const actAndSay: Act = async (verb, body) => {
  const isDone = await attemptTo(async () => await act(verb, body));
  refreshAll();
  return isDone;
};
