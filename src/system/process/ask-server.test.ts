import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import type { ToolServer } from "../../domain/tool-server.ts";
import { whyNoAnswer } from "./ask-server.ts";
import { marked } from "./sweep.ts";

const MARK = { name: "ASK_SERVER_TEST", value: temporaryFolder() };
const env = { PATH: process.env["PATH"], ANSWER: '{"jsonrpc":"2.0","id":1,"result":{}}', [MARK.name]: MARK.value };
const never = new AbortController().signal;

const ask = async (server: object, timeoutMs = 50_000): Promise<string | undefined> =>
  await whyNoAnswer({ name: "a", ...server } as ToolServer, { cwd: temporaryFolder(), env, timeoutMs, signal: never });
const sh = (script: string, own: Record<string, string> = {}) => ({ command: ["/bin/sh", "-c", script], env: own });

describe("P-41 a server of tools", () => {
  test("answers on its streams, with its variables, whatever it prints besides", async () => {
    const script = 'read -r line; echo Welcome; echo "$GIVEN"; exec sleep 300';
    expect(await ask(sh(script, { GIVEN: "${ANSWER}" }))).toBe(undefined);
    expect(marked(MARK)).toEqual([]);
  });

  test("that never answers is ended with all that it started", async () => {
    expect(await ask(sh("setsid sleep 300 & exec sleep 300"), 1000)).toBe("no answer within 1s");
    expect(marked(MARK)).toEqual([]);
  });

  test("may end, or not be there", async () => {
    expect(await ask(sh("exit 3"))).toBe("it ended without an answer");
    expect(await ask({ command: ["/no/such/server"], env: {} })).toContain("/no/such/server");
  });

  test("answers by HTTP, also with a refusal or a stream that stays open", async () => {
    const server = createServer((request, response) => {
      if (request.url === "/silent") return;
      response.writeHead(request.url === "/refuses" ? 401 : 200, { "content-type": "text/event-stream" });
      response.write("\n");
      if (request.url === "/refuses") response.end();
    });
    await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await ask({ url: `${url}/stream`, headers: {} })).toBe(undefined);
    expect(await ask({ url: `${url}/refuses`, headers: {} })).toBe(undefined);
    expect(await ask({ url: `${url}/silent`, headers: {} }, 1000)).toBe("no answer within 1s");
    expect(await ask({ url: "http://127.0.0.1:9/", headers: {} })).toContain("no connection");
  });
});
