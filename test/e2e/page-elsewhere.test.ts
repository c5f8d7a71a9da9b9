import { createServer, request as httpRequest, type Server as HttpServer } from "node:http";
import { connect, createServer as createTcpServer, type Server } from "node:net";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { atEnd } from "../at-end.ts";
import { loopWorkspace } from "../loop-workspace.ts";
import { pageAt, servedPage } from "../page-client.ts";

const guide = readFileSync("docs/guides/page.md", "utf8");

async function listening(server: Server | HttpServer, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  atEnd(() => void server.close());
  return (server.address() as { readonly port: number }).port;
}

describe("U-05 the page from another machine", () => {
  test("U-05 through a tunnel with the same port at both ends, and not with another", async () => {
    const page = await servedPage((await loopWorkspace({ script: "[]" })).folder);
    const forward = createTcpServer((socket) => {
      const there = connect(page.port, "127.0.0.1");
      for (const each of [socket, there]) each.on("error", () => undefined);
      socket.pipe(there).pipe(socket);
    });
    const port = await listening(forward, "127.0.0.1", 0);
    const path = "/api/v1/status";
    const token = { "x-ralphctl-token": page.token };
    const through = pageAt(port, page.token);
    expect((await through.send({ path, headers: { ...token, host: `127.0.0.1:${page.port}` } })).status).toBe(200);
    expect((await through.send({ path, headers: { ...token, host: `127.0.0.1:${port}` } })).status).toBe(403);
    expect(guide).toContain("ssh -L 4400:127.0.0.1:4400 ");
  });

  test("U-05 through a proxy that sets Host and Origin, and not through one that does not", async () => {
    const page = await servedPage((await loopWorkspace({ script: "[]" })).folder);
    const [, host] = /proxy_set_header Host (127\.0\.0\.1:)4400;/.exec(guide) ?? [];
    const [, origin] = /proxy_set_header Origin (http:\/\/127\.0\.0\.1:)4400;/.exec(guide) ?? [];
    const own = { host: `${host}${page.port}`, origin: `${origin}${page.port}` };
    const proxy = async (more: Readonly<Record<string, string>>): Promise<number> =>
      await listening(
        createServer((incoming, outgoing) => {
          const { method, url: path, headers } = incoming;
          const there = { host: "127.0.0.1", port: page.port, method, path, headers: { ...headers, ...more } };
          incoming.pipe(
            httpRequest(there, (answer) => {
              outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
              answer.pipe(outgoing);
            }),
          );
        }),
        "127.0.0.1",
        0,
      );
    const sent = { host: "page.example", origin: "https://page.example", "x-ralphctl-token": page.token };
    const statusBy = async (port: number): Promise<number> =>
      (await pageAt(port, page.token).send({ path: "/api/v1/status", headers: sent })).status;
    expect(await statusBy(await proxy(own))).toBe(200);
    expect(await statusBy(await proxy({}))).toBe(403);
  });
});
