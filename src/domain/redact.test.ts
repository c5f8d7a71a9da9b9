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

  test("W-04 secrets that are almost in a text are no secrets", () => {
    const redact = createRedactor({ A_KEY: "a".repeat(100), B_KEY: `${"a".repeat(99)}b` });
    const text = "a".repeat(99).concat("c").repeat(200);
    expect([redact(text), redact(`${text}${"a".repeat(99)}b`)]).toEqual([text, `${text}[B_KEY]`]);
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

const rules = { variables: [], forms: [], allow: [] };
const filled = (length: number): string => "aB3dE5gH".repeat(Math.ceil(length / 8)).slice(0, length);

describe("forms of secrets", () => {
  const secrets: Record<string, string[]> = {
    "Anthropic key": [`sk-ant-api03-${filled(40)}`],
    "OpenAI key": [`sk-${filled(48)}`, `sk-proj-${filled(20)}_${filled(20)}`],
    "AWS key": [`AKIA${"ABCD1234".repeat(2)}`],
    "GitHub token": [`ghp_${filled(36)}`, `github_pat_${filled(22)}_${filled(59)}`],
    "GitLab token": [`glpat-${filled(20)}`],
    "Slack token": [`xoxb-1234567890-${filled(24)}`],
    "Slack webhook": [`hooks.slack.com/services/T00000000/B00000000/${filled(24)}`],
    "Discord webhook": [`discord.com/api/webhooks/123456789/${filled(60)}`],
    "Telegram token": [`123456789:${filled(35)}`],
    "Stripe key": [`sk_live_${filled(24)}`, `whsec_${filled(32)}`],
    "Google key": [`AIza${filled(35)}`],
    "npm token": [`npm_${filled(36)}`],
    "PyPI token": [`pypi-AgE${filled(60)}`],
    "Hugging Face token": [`hf_${filled(34)}`],
    JWT: [`eyJ${filled(20)}.eyJ${filled(40)}.${filled(43)}`],
    "private key": [
      `-----BEGIN OPENSSH PRIVATE KEY-----\n${filled(64)}\n-----END OPENSSH PRIVATE KEY-----`,
      `-----BEGIN PRIVATE KEY-----\n${filled(64)}`,
    ],
  };

  test.each(Object.entries(secrets))("B-05 a %s is hidden, wherever it comes from", (name, examples) => {
    const redact = createRedactor({}, { rules });
    for (const secret of examples) expect(redact(`it is ${secret}`)).toBe(`it is [${name}]`);
    const isAllowed = createRedactor({}, { rules: { ...rules, allow: [name] } });
    for (const secret of examples) expect(isAllowed(secret)).toBe(secret);
  });

  test.each([
    "sk-loading-spinner-container-large ghp_short npm_config_cache eyJhbGciOiJIUzI1NiJ9",
    "https://user@host/a:b@c and https://host:8080/a@b and postgres://user:${PASSWORD}@host",
    "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----",
    "5f4dcc3b5aa765d61d8327deb882cf99 t-57bfffde r-20261118-001708-ab12 refs/ralph/target/main",
  ])("B-05 what has no form of a secret stays: %s", (text) => {
    expect(createRedactor({}, { rules })(text)).toBe(text);
  });

  test("B-05 of an address only the password is hidden", () => {
    expect(createRedactor({}, { rules })("psql postgres://me:hunter2@db:5432/app")).toBe(
      "psql postgres://me:[password]@db:5432/app",
    );
  });

  test("B-05 own forms and own names of variables", () => {
    const own = { ...rules, forms: ["acme_*_x"], variables: ["ACME_*"] };
    expect(createRedactor({ ACME_ID: "1234-5678" }, { rules: own })("acme_12_x 1234-5678 acme_")).toBe(
      "[acme_*_x] [ACME_ID] acme_",
    );
  });
});

describe("values of secrets", () => {
  test.each([
    [{ DB_PWD: "hunter2hunter2" }, "hunter2hunter2", "[DB_PWD]"],
    [{ PWD: "/home/someone", OLDPWD: "/home/another" }, "/home/someone", "/home/someone"],
    [{ GH_PAT: "0123456789" }, "0123456789", "[GH_PAT]"],
    [{ DATABASE_URL: "postgres://me:s3cretword@db/app" }, "me s3cretword", "me [DATABASE_URL]"],
    [{ SITE_URL: "https://example.com/path" }, "https://example.com/path", "https://example.com/path"],
    [{ MY_WEBHOOK_URL: "https://example.com/x/1234" }, "to https://example.com/x/1234", "to [MY_WEBHOOK_URL]"],
    [{ A_KEY: 'quote"and\\back' }, JSON.stringify({ a: 'quote"and\\back' }), '{"a":"[A_KEY]"}'],
    [{ A_KEY: "with space/slash" }, "?q=with%20space%2Fslash", "?q=[A_KEY]"],
    [{ A_KEY: `first-line-of-it-all\nsecond-line-of-it-all` }, "second-line-of-it-all", "[A_KEY]"],
    [{ A_KEY: "0123456789abcdef" }, "token 0123456789ab…", "token [A_KEY]…"],
    [{ A_KEY: "0123456789abcdef" }, "… 6789abcdef was it", "…[A_KEY] was it"],
    [{ A_KEY: "0123456789abcdef" }, "012345… and 012345", "012345… and 012345"],
  ])("B-05 %j makes of %j %j", (variables, text, redacted) => {
    expect(createRedactor(variables)(text)).toBe(redacted);
  });

  test("B-05 a value is hidden as addresses and base64 spell it, wherever it begins", () => {
    const value = "s3cr3t/Value+with=odd&chars ünd~more";
    const long = "0123456789abcdef".repeat(8);
    const redact = createRedactor({ MY_TOKEN: value, LONG_TOKEN: long });
    const base64 = (text: string): string => Buffer.from(text).toString("base64");
    const url = encodeURIComponent(value);
    const texts = [
      base64(value),
      base64(`${value}\n`),
      base64(`u:${value}`),
      base64(`me:${value}!`),
      base64(`you:${value}?`),
      Buffer.from(`me:${value}`).toString("base64url"),
      url,
      url.replaceAll(/%../g, (escape) => escape.toLowerCase()),
      url.replaceAll("%2F", "/"),
      ...base64(long).match(/.{1,76}/g)!,
    ];
    const words = [...Buffer.from(value).toString("base64").matchAll(/.{12}/g)].map(([word]) => word);
    for (const text of texts) {
      const shown = redact(`Authorization: Basic ${text}\n`);
      expect([text, shown]).toEqual([text, expect.stringMatching(/\[(?:MY|LONG)_TOKEN\]/)]);
      expect(words.filter((word) => shown.includes(word))).toEqual([]);
    }
    expect(redact(base64("something else that is long enough"))).not.toContain("[");
  });

  test("B-05 a value is hidden as a dump, HTML and JSON in JSON spell it, and backwards", () => {
    const value = `s3cr3t<"Value'&more\\`;
    const redact = createRedactor({ MY_TOKEN: value });
    const hex = Buffer.from(value).toString("hex");
    const html = value
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll('"', "&quot;")
      .replaceAll("'", "&#39;");
    const nested = JSON.stringify(JSON.stringify({ value })).slice(14, -4);
    for (const text of [hex, hex.toUpperCase(), html, nested, value.split("").toReversed().join("")]) {
      expect([text, redact(`it is ${text}.`)]).toEqual([text, "it is [MY_TOKEN]."]);
    }
    expect(redact(Buffer.from("something else").toString("hex"))).not.toContain("[");
  });

  test.each([
    ["colours", "a \u001b[31mtok-\u001b[0m0123456789\u001b[1mabcdef\u001b[0m b", "a \u001b[31m[A_TOKEN]\u001b[0m b"],
    ["a line that is wrapped", "one\n  tok-01234567\n  89abcdef\ntwo", "one\n  [A_TOKEN]\ntwo"],
    ["line ends of Windows", "tok-01234567\r\n89abcdef\r\n", "[A_TOKEN]\r\n"],
    ["two bytes for each character", "tok-0123456789abcdef".split("").join("\0"), "[A_TOKEN]"],
    [
      "a link",
      "\u001b]8;;http://x.invalid\u0007tok-0123\u001b]8;;\u0007456789abcdef!",
      "\u001b]8;;http://x.invalid\u0007[A_TOKEN]!",
    ],
    ["a dump", Buffer.from("tok-0123456789abcdef").toString("hex").replaceAll(/.{12}/g, "$&\n"), "[A_TOKEN]"],
    ["twice", "tok-01234567\n89abcdef tok-0123456789abcdef\ntok-0123\n456789abcdef", "[A_TOKEN] [A_TOKEN]\n[A_TOKEN]"],
    ["nearly", "tok-01234567\n89abcde\nf\u001b[0m", "[A_TOKEN]\u001b[0m"],
    ["none", "tok-01234567\n89abcdeX\n\u001b[0mtok-", "tok-01234567\n89abcdeX\n\u001b[0mtok-"],
  ])("B-05 a value is hidden though something stands inside of it: %s", (_, text, redacted) => {
    expect(createRedactor({ A_TOKEN: "tok-0123456789abcdef" })(text)).toBe(redacted);
  });

  test("B-05 a form is found through colours, and not through ends of lines", () => {
    const redact = createRedactor({}, { rules });
    const [half, rest] = ["npm_0123456789abcdef01", "23456789abcdef0123"];
    expect(redact(`is \u001b[1m${half}\u001b[0m${rest} so`)).toBe("is \u001b[1m[npm token] so");
    expect(redact(`${half}\n${rest}`)).toBe(`${half}\n${rest}`);
  });

  test("B-05 files that are copied into lanes have secrets, too", () => {
    const files = [
      "PORT=3000\nexport API_TOKEN='one-two-three'\n# KEY=comment-is-none\n",
      '{ "password": "four-five-six" ,\n  "dbPassword": "seven-eight",\n  "name": "nine-ten-eleven"\n}\n',
      "client_secret: twelve-thirteen # old\n",
    ];
    const redact = createRedactor({}, { rules, files });
    expect(redact("one-two-three seven-eight nine-ten-eleven twelve-thirteen 3000")).toBe(
      "[API_TOKEN] [dbPassword] nine-ten-eleven [client_secret] 3000",
    );
  });

  test("B-05 a false alarm can be allowed by the name of the variable or by the text, and is told of", () => {
    const hidden: string[] = [];
    const options = {
      rules: { ...rules, allow: ["A_KEY", "production"] },
      onHidden: (name: string) => hidden.push(name),
    };
    const redact = createRedactor({ A_KEY: "development", B_KEY: "production", C_KEY: "staging-1" }, options);
    expect([redact("development production staging-1"), hidden]).toEqual(["development production [C_KEY]", ["C_KEY"]]);
  });

  test("B-05 ten thousand values", () => {
    const values = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, at) => [`KEY_${at}`, `value-${at}-${at * 7}`]),
    );
    const redact = createRedactor(values);
    const text = Object.values(values).join(" and ");
    expect(redact(text)).toBe(
      Object.keys(values)
        .map((name) => `[${name}]`)
        .join(" and "),
    );
    expect(redact("value-10001-70007 value-9-6")).toBe("value-10001-70007 value-9-6");
  });
});
