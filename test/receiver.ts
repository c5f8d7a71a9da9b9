import { createServer, type Server } from "node:http";
import { atEnd } from "./at-end.ts";

export interface Received {
  readonly url: string;
  /** Of each request. */
  readonly paths: readonly string[];
  readonly posted: readonly { readonly method: string; readonly type: string; readonly body: unknown }[];
}

/** A web server of this machine that answers everything alike. */
export async function receiver(status: number, answer: string): Promise<Received> {
  const paths: string[] = [];
  const posted: { method: string; type: string; body: unknown }[] = [];
  const server: Server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    request.on("end", () => {
      const { method = "", headers, url = "" } = request;
      paths.push(url);
      posted.push({ method, type: headers["content-type"] ?? "", body: JSON.parse(text) });
      response.writeHead(status, status === 302 ? { location: "/elsewhere" } : {}).end(answer);
    });
  });
  return { url: `http://127.0.0.1:${await listen(server)}/services/T0/x`, posted, paths };
}

/** The port on which a server listens, until the test file ends. */
export async function listen(server: Server): Promise<number> {
  await new Promise<void>((listening) => void server.listen(0, "127.0.0.1", listening));
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}
