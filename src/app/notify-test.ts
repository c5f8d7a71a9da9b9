import { basename } from "node:path";
import { notifyRequest, type NotifyService } from "../domain/notify.ts";
import { postJson } from "../system/post-json.ts";
import { notifyTargets } from "./run/notify-hooks.ts";
import { requireTrust } from "./trust/trust.ts";
import { openWorkspace, type Surroundings } from "./workspace.ts";

export interface NotifyTest {
  readonly results: readonly { readonly service: NotifyService; readonly why: string | undefined }[];
  readonly notices: readonly string[];
}

const TIMEOUT_MS = 10_000;

/** Sends a message to every service that `notify` names. `why`: undefined if it arrived. */
export async function testNotify(caller: Surroundings, signal: AbortSignal): Promise<NotifyTest> {
  const workspace = await openWorkspace(caller);
  await requireTrust(workspace, caller);
  const { targets, notices } = notifyTargets(workspace, caller.env);
  const message = {
    title: basename(workspace.root),
    text: "A test of ralphctl notify",
    event: { v: 1, type: "notify.test", text: "A test of ralphctl notify" },
  };
  const results = await Promise.all(
    targets.map(async (target) => {
      const answer = await postJson({ ...notifyRequest(target, message), timeoutMs: TIMEOUT_MS, signal });
      const isGood = answer.kind === "answered" && answer.status >= 200 && answer.status < 300;
      const why =
        answer.kind === "failed" ? answer.why : answer.kind === "stopped" ? "stopped" : `answered ${answer.status}`;
      return { service: target.service, why: isGood ? undefined : why };
    }),
  );
  return { results, notices };
}
