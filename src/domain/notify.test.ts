import { expect, test } from "vitest";
import { notifyRequest } from "./notify.ts";

const MESSAGE = { title: "shop", text: 't-1 "Say <!channel> @everyone" waits', event: { type: "run.finished" } };

test("E-03 each service gets what it takes, and no title can call a whole channel", () => {
  const url = "https://example.test/a/topic?auth=x";
  expect(notifyRequest({ url }, MESSAGE)).toEqual({
    url,
    body: { text: 'shop: t-1 "Say &lt;!channel&gt; @everyone" waits' },
  });
  expect(notifyRequest({ url, service: "discord" }, MESSAGE)).toEqual({
    url,
    body: { content: `shop: ${MESSAGE.text}`, allowed_mentions: { parse: [] } },
  });
  expect(notifyRequest({ url, service: "ntfy" }, MESSAGE)).toEqual({
    url: "https://example.test/a?auth=x",
    body: { topic: "topic", title: "ralphctl: shop", message: MESSAGE.text },
  });
  expect(notifyRequest({ url: "12:ab", service: "telegram", chat: "7" }, MESSAGE)).toEqual({
    url: "https://api.telegram.org/bot12:ab/sendMessage",
    body: { chat_id: "7", text: `shop: ${MESSAGE.text}` },
  });
  expect(notifyRequest({ url, service: "webhook" }, MESSAGE)).toEqual({ url, body: MESSAGE.event });
});
