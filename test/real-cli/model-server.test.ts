import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { type Scripted, startModel } from "./model-server.ts";

const TOOLS = [{ name: "shell" }];

async function model(...script: readonly Scripted[]) {
  const server = await startModel(script);
  onTestFinished(server.close);
  const ask = async (path: string, body: object): Promise<string> =>
    await (await fetch(server.url + path, { method: "POST", body: JSON.stringify(body) })).text();
  return { ...server, ask };
}

test("whoever wants to go elsewhere through the scripted model is refused and named", async () => {
  const { url, elsewhere } = await model({ text: "Hello" });
  const tunnel = request(url, { method: "CONNECT", path: "example.invalid:443" });
  tunnel.end();
  const [answer] = (await once(tunnel, "connect")) as [IncomingMessage];
  const plain = request(url, { path: "http://example.invalid/telemetry" });
  plain.end();
  const [other] = (await once(plain, "response")) as [IncomingMessage];
  expect([answer.statusCode, other.resume().statusCode]).toEqual([403, 404]);
  expect(elsewhere).toEqual(["example.invalid:443", "http://example.invalid/telemetry"]);
});

test("the scripted model gives a step to each request that offers tools, and the last one again", async () => {
  const pauses = [{ text: "Later" }, undefined];
  const { ask, asked } = await model({ text: "First" }, () => pauses.shift(), { text: "Last" });
  const said: string[] = [];
  for (const tools of [TOOLS, [], TOOLS, TOOLS, TOOLS]) {
    const answer = JSON.parse(await ask("/v1/chat/completions", { tools })) as {
      choices: { message: { content: string } }[];
    };
    said.push(answer.choices[0]!.message.content);
  }
  expect(said).toEqual(["First", "ok", "Later", "Last", "Last"]);
  expect(asked).toHaveLength(4);
});

test.each([
  ["/v1/messages", '"text":"<task-done>t'],
  ["/v1/responses", '"delta":"<task-done>t'],
  ["/v1/chat/completions", '"content":"<task-done>t'],
  ["/v1beta/models/m:streamGenerateContent", '"text":"<task-done>t'],
])("%s is streamed, with a sigil cut in the middle", async (path, piece) => {
  const { ask } = await model({ text: "<task-done>t-1</task-done>" });
  const answer = await ask(path, { tools: TOOLS, stream: true });
  expect(answer).toContain(piece);
});
