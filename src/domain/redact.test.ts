import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRedactor, redactEvent } from "./redact.ts";
import type { RunEvent } from "./run/event.ts";

const env = {
  ANTHROPIC_API_KEY: "sk-ant-0123456789",
  SHORT_TOKEN: "1234567",
  DB_PASSWORD: "hunter2.*hunter2\n",
  NPM_TOKEN: "sk-ant-0123456789-longer",
  GIT_AUTHOR_NAME: "Ada Lovelace",
  XKB_KEYBOARD: "pc105-us",
  HOME: "/home/someone",
  SSH_AUTH_SOCK: "/run/user/1000/agent",
  AUTHORIZATION: "Bearer abcdef",
  EMPTY_SECRET: undefined,
};

describe("redactor", () => {
  test.each([
    ["key=sk-ant-0123456789;", "key=[ANTHROPIC_API_KEY];"],
    ["sk-ant-0123456789-longer", "[NPM_TOKEN]"],
    ["sk-ant-0123456789-long", "[ANTHROPIC_API_KEY]-long"],
    ["hunter2.*hunter2hunter2.*hunter2", "[DB_PASSWORD][DB_PASSWORD]"],
    ["hunter2..hunter2", "hunter2..hunter2"],
    ["curl -H 'Bearer abcdef'", "curl -H '[AUTHORIZATION]'"],
    ["1234567 Ada Lovelace pc105-us /home/someone", "1234567 Ada Lovelace pc105-us /home/someone"],
    ["/run/user/1000/agent", "/run/user/1000/agent"],
  ])("W-04 makes of %j %j", (text, redacted) => {
    expect(createRedactor(env)(text)).toBe(redacted);
  });

  test("W-04 no secret is left in any text, and what is no secret stays as it was", () => {
    const secret = fc.stringMatching(/^[a-f0-9$.()|-]{8,20}$/).filter((text) => text.trim() === text);
    // Capitals and line ends do not occur in secrets: they cannot become one together with what stands beside them.
    const other = fc.stringMatching(/^[G-Z \n]*$/);
    fc.assert(
      fc.property(fc.uniqueArray(secret, { minLength: 1, maxLength: 5 }), fc.array(other), (secrets, others) => {
        const redact = createRedactor(Object.fromEntries(secrets.map((value, index) => [`KEY_${index}`, value])));
        const text = others.map((piece, index) => `${piece}\n${secrets[index % secrets.length]}\n`).join("");
        const expected = others.map((piece, index) => `${piece}\n[KEY_${index % secrets.length}]\n`).join("");
        expect(redact(text)).toBe(expected);
      }),
    );
  });

  test("W-04 takes time in proportion to the text", () => {
    const redact = createRedactor({ A_KEY: "a".repeat(100), B_KEY: `${"a".repeat(99)}b` });
    const text = "a".repeat(99).concat("c").repeat(20_000);
    const start = performance.now();
    expect(redact(text)).toBe(text);
    expect(performance.now() - start).toBeLessThan(5000);
  });

  test("W-04 an event is redacted in every depth; its type, ids, numbers and words of the vocabulary stay", () => {
    const redact = createRedactor({ MY_SECRET: "verified", MY_KEY: "t-000000001", MY_TOKEN: "my very own title" });
    const event: RunEvent = {
      type: "iteration.finished",
      iteration: 3,
      task: { id: "t-000000001", title: "Use my very own title" },
      outcome: "verified",
      status: "done",
      counted: false,
      reason: "it was verified by my very own title",
      session: "done",
      durationMs: 12,
      costUsd: undefined,
      tokens: 5,
      isEstimated: false,
    };
    expect(redactEvent(event, redact)).toEqual({
      ...event,
      task: { id: "t-000000001", title: "Use [MY_TOKEN]" },
      reason: "it was [MY_SECRET] by [MY_TOKEN]",
    });
    const changed: RunEvent = {
      type: "session.changed",
      iteration: 1,
      files: 1,
      paths: ["t-000000001"],
    };
    expect(redactEvent(changed, redact)).toEqual({ ...changed, paths: ["[MY_KEY]"] });
  });
});
