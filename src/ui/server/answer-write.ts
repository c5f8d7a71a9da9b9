import { isAskedByAgent } from "../../app/page/asked-by-agent.ts";
import { recordWrite } from "../../app/page/write-log.ts";
import type { HttpReply, HttpRequest } from "../../app/page/serve.ts";
import { RalphError } from "../../domain/error.ts";
import { printableLine } from "../../domain/printable.ts";
import { API_VERBS, type ApiSaid, type ApiVerb } from "../api.ts";
import { isBody, readBody } from "./read-body.ts";
import { errorReply, failure, jsonReply } from "./replies.ts";
import { type ActHost, ACTS } from "./verbs.ts";

const isVerb = (verb: string): verb is ApiVerb => Object.hasOwn(API_VERBS, verb);

/** U-04: does what a verb says, and writes down who asked, from where, and what came of it. */
export async function answerWrite(verb: string, request: HttpRequest, host: ActHost): Promise<HttpReply> {
  if (!isVerb(verb))
    return failure(404, `There is no verb ${verb}`, `Choose one of: ${Object.keys(API_VERBS).join(", ")}`);
  const body = await readBody(request, verb);
  if (!isBody(body)) return body;
  const about = body.optional("task") ?? body.optional("run") ?? body.optional("scope");
  const record = async (result: string): Promise<void> =>
    await recordWrite({ verb, about, result: printableLine(result) }, host);
  try {
    if (await isAskedByAgent(request.connection, host.cwd)) {
      await record("refused: asked by a program that the run started");
      return failure(403, "An agent can only claim, so this is for people", "Say in the final message what you need");
    }
    const said = await ACTS[verb](body, host);
    await record("done");
    return jsonReply({ said } satisfies ApiSaid);
  } catch (error) {
    await record(error instanceof RalphError ? error.message : "a bug");
    return errorReply(error);
  }
}
