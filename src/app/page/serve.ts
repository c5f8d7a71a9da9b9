export { serveLoopback, type HttpRequest, type LoopbackServer } from "../../system/http/serve-loopback.ts";
export type { HttpReply, StreamOut } from "../../system/http/send-reply.ts";
