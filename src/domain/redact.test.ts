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
    "OpenAI key": [`sk-${filled(48)}`, `sk-proj-${filled(20)}_${filled(20)}`, `sk-None-${filled(48)}`],
    "AWS key": [`AKIA${"ABCD1234".repeat(2)}`, `ABSK${filled(50)}+/${filled(60)}=`, `bedrock-api-key-${filled(80)}==`],
    "GitHub token": [
      `ghp_${filled(36)}`,
      `github_pat_${filled(22)}_${filled(59)}`,
      `ghs_123456_eyJ${filled(30)}.eyJ${filled(60)}.${filled(80)}`,
    ],
    "GitLab token": [`glpat-${filled(20)}`],
    "Slack token": [
      `xoxb-1234567890-${filled(24)}`,
      `xoxc-1234567890-${filled(24)}`,
      `xoxd-${filled(30)}%2B${filled(9)}`,
    ],
    "Slack webhook": [`hooks.slack.com/services/T00000000/B00000000/${filled(24)}`],
    "Discord webhook": [`discord.com/api/webhooks/123456789/${filled(60)}`],
    "Telegram token": [`123456789:AA${filled(33)}`],
    "Stripe key": [`sk_live_${filled(24)}`, `whsec_${filled(32)}`],
    "Google key": [`AIza${filled(35)}`, `AQ.Ab8RN6${filled(44)}`, `1//0g${filled(60)}`],
    "npm token": [`npm_${filled(36)}`],
    "PyPI token": [`pypi-AgE${filled(60)}`],
    "Hugging Face token": [`hf_${filled(34)}`],
    "Teams webhook": [`webhook.office.com/webhookb2/${filled(8)}-1111@${filled(8)}/IncomingWebhook/${filled(32)}/x`],
    "Azure key": [`AccountKey=${filled(86)}`],
    "service token": [
      `SG.${filled(22)}`,
      `hvs.${filled(90)}`,
      `dckr_pat_${filled(27)}`,
      `lin_api_${filled(40)}`,
      `gsk_${filled(52)}`,
      `AGE-SECRET-KEY-1QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L`,
      `sk-lf-3f2b8c1d-9e4a-4f6b-8c2d-1a2b3c4d5e6f`,
      `ops_eyJ${filled(90)}`,
      `squ_${"0123456789abcdef".repeat(3).slice(0, 40)}`,
      `pat-na1-3f2b8c1d-9e4a-4f6b-8c2d-1a2b3c4d5e6f`,
      `ATBB${filled(32)}`,
      `atlasv1.${filled(67)}`,
      `csk-${filled(48).toLowerCase()}`,
    ],
    JWT: [
      `eyJ${filled(20)}.eyJ${filled(40)}.${filled(43)}`,
      `eyJ${filled(20)}.${filled(100)}.${filled(16)}.${filled(60)}.${filled(22)}`,
    ],
    "private key": [
      `-----BEGIN OPENSSH PRIVATE KEY-----\n${filled(64)}\n-----END OPENSSH PRIVATE KEY-----`,
      `-----BEGIN PRIVATE KEY-----\n${filled(64)}`,
      `PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\n${filled(64)}\nPrivate-MAC: ${filled(40)}`,
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
    "postgres://user:$PASSWORD@host postgres://user:%s@host https://<user>:<password>@host http://localhost:8080/a@b",
    "https://example.com:443/foo:bar@baz @scope/pkg@1.2.3 git@github.com:owner/repo.git ssh://git@host:22/repo",
    "Authorization: Bearer YOUR_TOKEN_GOES_HERE Authorization: Bearer ${API_TOKEN_1} x-api-key: required-in-all-requests",
    "xai-org-is-a-name-of-an-account sk-estimator-classification-regression-pipeline gsk_helpers_for_widgets",
    "API_KEY=process.env.OPENAI_API_KEY_2 MAX_TOKEN=12345 MY_ACCESS_TOKEN=getTokenFromVault(1) dapi_version_something_2_long_name",
    `1700000000:${"a".repeat(35)} npm_TOKEN squ_variable_of_the_2_squares_in_a_long_name`,
    "AWS_SECRET_ACCESS_KEY= aws_secret_access_key = YOUR_SECRET_ACCESS_KEY ?token=the-one-that-you-were-given",
  ])("B-05 what has no form of a secret stays: %s", (text) => {
    expect(createRedactor({}, { rules })(text)).toBe(text);
  });

  test("B-05 of an address only the password is hidden", () => {
    expect(createRedactor({}, { rules })("psql postgres://me:hunter2@db:5432/app")).toBe(
      "psql postgres://me:[password]@db:5432/app",
    );
  });

  test.each([
    ["postgres://me:p%40ss%2Fw0rd@db/app", "postgres://me:[password]@db/app"],
    ["mysql://root:pa$$w0rd!@db", "mysql://root:[password]@db"],
    ["redis://:s3cr:et@cache:6379/0", "redis://:[password]@cache:6379/0"],
    [`https://${"u".repeat(100)}:${filled(300)}@host`, `https://${"u".repeat(100)}:[password]@host`],
    [`origin\thttps://${filled(40)}@github.com/a/b.git (push)`, "origin\thttps://[password]@github.com/a/b.git (push)"],
  ])("B-05 a password in an address is hidden, however it is written: %s", (text, redacted) => {
    expect(createRedactor({}, { rules })(text)).toBe(redacted);
  });

  test.each([
    [`> Authorization: Bearer ${filled(40)}`, "> Authorization: Bearer [login]"],
    [`{"authorization":"Basic ${btoa("me:hunter2-hunter2")}"}`, '{"authorization":"Basic [login]"}'],
    [String.raw`{\"X-Api-Key\": \"${filled(32)}\"}`, String.raw`{\"X-Api-Key\": \"[login]\"}`],
    [`//registry.npmjs.org/:_authToken=${filled(36)}`, "//registry.npmjs.org/:_authToken=[login]"],
    [`aws_secret_access_key = ${filled(20)}/${filled(19)}`, "aws_secret_access_key = [login]"],
    [`"SecretAccessKey": "${filled(20)}+${filled(19)}",`, '"SecretAccessKey": "[login]",'],
    [`+ DATABASE_PASSWORD="${filled(24)}"`, '+ DATABASE_PASSWORD="[login]"'],
    [`GET /x?a=b&access_token=${filled(40)}&c=d`, "GET /x?a=b&access_token=[login]&c=d"],
    [
      `https://a.blob.core.windows.net/c?sv=1&sig=${filled(42)}%3D`,
      "https://a.blob.core.windows.net/c?sv=1&sig=[login]",
    ],
  ])("B-05 a login in a header, an address or a setting is hidden: %s", (text, redacted) => {
    expect(createRedactor({}, { rules })(text)).toBe(redacted);
    expect(createRedactor({}, { rules: { ...rules, allow: ["login"] } })(text)).toBe(text);
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
    [{ DATABASE_URL: "postgres://me:p%40ss%2Fword@db" }, "p@ss/word", "[DATABASE_URL]"],
    [{ DATABASE_URL: "postgres://me:s3cr/et:word@db/app" }, "as s3cr/et:word", "as [DATABASE_URL]"],
    [{ TEAMS_WEBHOOK: "https://example.com/x/1234" }, "https://example.com/x/1234", "[TEAMS_WEBHOOK]"],
    [{ SSHPASS: "correct-horse" }, "correct-horse", "[SSHPASS]"],
    [{ DB_CONNECTION_STRING: "Server=db;Password=correct-horse;X=y" }, "correct-horse", "[DB_CONNECTION_STRING]"],
    [{ SESSION_JWT: "correct-horse" }, "correct-horse", "[SESSION_JWT]"],
    [{ A_KEY: 'quote"and\\back' }, JSON.stringify({ a: 'quote"and\\back' }), '{"a":"[A_KEY]"}'],
    [{ A_KEY: "with space/slash" }, "?q=with%20space%2Fslash", "?q=[A_KEY]"],
    [{ A_KEY: `first-line-of-it-all\nsecond-line-of-it-all` }, "second-line-of-it-all", "[A_KEY]"],
    [{ A_KEY: "0123456789abcdef" }, "token 0123456789ab…", "token [A_KEY]…"],
    [{ A_KEY: "0123456789abcdef" }, "… 6789abcdef was it", "…[A_KEY] was it"],
    [{ A_KEY: "0123456789abcdef" }, "012345… and 012345", "012345… and 012345"],
  ])("B-05 %j makes of %j %j", (variables, text, redacted) => {
    expect(createRedactor(variables)(text)).toBe(redacted);
  });

  test.each([
    ["XAUTHORITY", "/home/me/.Xauthority"],
    ["GOOGLE_APPLICATION_CREDENTIALS", "/home/me/key.json"],
    ["SSH_ASKPASS", "/usr/bin/ssh-askpass"],
    ["NEXTAUTH_URL", "http://localhost:3000"],
    ["COOKIE_DOMAIN", "localhost"],
    ["KEYCLOAK_REALM", "production"],
    ["AUTH_METHOD", "password"],
    ["MAX_THINKING_TOKENS", "31999999"],
    ["TOKENIZER_MODEL", "cl100k_base"],
    ["KEYMAP", "us-international"],
    ["COMPASS", "north-north-west"],
    ["GIT_HOOK", "pre-commit"],
  ])("B-05 %s is no secret", (name, value) => {
    expect(createRedactor({ [name]: value })(value)).toBe(value);
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
    const shells = [value.replaceAll("'", String.raw`'\''`), value.replaceAll(/[<"'&\\]/g, String.raw`\$&`)];
    const signs = [html.replaceAll("&#39;", "&apos;"), html.replaceAll("&quot;", "&#34;"), ...shells];
    for (const text of [hex, hex.toUpperCase(), html, nested, value.split("").toReversed().join(""), ...signs]) {
      expect([text, redact(`it is ${text}.`)]).toEqual([text, "it is [MY_TOKEN]."]);
    }
    expect(redact(Buffer.from("something else").toString("hex"))).not.toContain("[");
  });

  test("B-05 a value is hidden as ASCII and in each form of Unicode", () => {
    const value = "clé/secrète";
    const redact = createRedactor({ MY_TOKEN: value });
    const ascii = String.raw`cl\u00e9/secr\u00e8te`;
    const python = String.raw`cl\xc3\xa9/secr\xc3\xa8te`;
    for (const text of [value.normalize("NFD"), ascii, python, String.raw`clé\/secrète`]) {
      expect([text, redact(`it is ${text}.`)]).toEqual([text, "it is [MY_TOKEN]."]);
    }
  });

  test.each([
    ["colours", "a \u001b[31mtok-\u001b[0m0123456789\u001b[1mabcdef\u001b[0m b", "a \u001b[31m[A_TOKEN]\u001b[0m b"],
    ["a line that is wrapped", "one\n  tok-01234567\n  89abcdef\ntwo", "one\n  [A_TOKEN]\ntwo"],
    ["a quotation", "> is tok-01234567\n> 89abcdef so", "> is [A_TOKEN] so"],
    ["a line that goes on", "tok-01234567\\\n89abcdef", "[A_TOKEN]"],
    ["no width", "tok-01234567\u200b89abcdef", "[A_TOKEN]"],
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

  test.each([
    ["//registry.npmjs.org/:_authToken=SECRET-VALUE\n"],
    ["machine github.com login me password SECRET-VALUE\n"],
    ["localhost:5432:app:me:SECRET-VALUE\n"],
    ["https://me:SECRET-VALUE@github.com\n"],
    ['{"auths":{"ghcr.io":{"auth":"SECRET-VALUE"}},"password":"another-one"}'],
    ["db: { user: me, password: SECRET-VALUE }\nother: { password: another-one }\n"],
    ["- password: SECRET-VALUE\n- password: another-one\n"],
    ["<server>\n  <password>SECRET-VALUE</password>\n</server>\n"],
    ['KEY="first-line-of-a-value\nSECRET-VALUE-AND-MORE"\n'],
    ["private_key: |\n  first-line-of-a-value\n  SECRET-VALUE-AND-MORE\nother: 1\n"],
    ["ENV API_TOKEN=SECRET-VALUE\n"],
    ["set -gx API_TOKEN SECRET-VALUE\n"],
  ])("B-05 whatever the format of such a file: %j", (file) => {
    expect(createRedactor({}, { rules, files: [file] })("it is SECRET-VALUE-AND-MORE")).not.toContain("SECRET-VALUE");
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
