import { API, API_EVENTS, API_READS, API_VERBS, TOKEN_HEADER, TOTAL_HEADER } from "../src/ui/api.ts";

const rows = (table: Readonly<Record<string, string>>, name: (key: string) => string): string =>
  Object.entries(table)
    .map(([key, doc]) => `| ${name(key)} | ${doc} |`)
    .join("\n");

const verbRows = (): string =>
  Object.entries(API_VERBS)
    .map(([verb, { doc, fields }]) => {
      const texts = Object.entries(fields as Readonly<Record<string, readonly [string, string]>>).map(
        ([name, [type, meaning]]) => `\`${name}\` (${type.replace("?", ", optional")}): ${meaning}`,
      );
      return `| \`POST /do/${verb}\` | ${doc} | ${texts.join("; ") || "none"} |`;
    })
    .join("\n");

/** docs/reference/api.md, from the table that the server answers by. */
export const apiPage = (note: string): string => `${note}
# API of the page

\`ralphctl ui\` serves a page and this API, on 127.0.0.1 and ::1 only. The page is its first user; [answer.mjs](../../examples/answer.mjs)
is another. All paths begin with \`${API}\`: the version changes when a field is renamed, removed or retyped. Fields may be added.

Every request needs the header \`${TOKEN_HEADER}\`. The token is the part behind \`#token=\` of the address that \`ralphctl ui --url\`
prints, and another one for each start of the server. \`Host\` must be \`localhost\`, \`127.0.0.1\` or \`[::1]\` with the server's port;
\`Origin\` and \`Sec-Fetch-Site\`, if sent, must be those of the page. There are no CORS headers and no cookies.

## Reads

\`GET\`, answered with JSON unless the table says otherwise. Missing values are null. Windows of lines and events come with the
header \`${TOTAL_HEADER}\`: how many there are in all. Ids may be shortened, as in commands. Secrets are hidden as in reports.

| path | answer |
|---|---|
${rows(API_READS, (path) => `\`${path}\``)}

## Writes

A JSON object with exactly these fields, \`content-type: application/json\`, at most 256 KB. The answer is \`{ "said": SENTENCE }\`. There is
nothing else to write. The log of the task or the event \`run.asked\` says that it came from the page.

| request | what it does | fields |
|---|---|---|
${verbRows()}

## Events

\`GET /events\` is a stream of server-sent events about the run that goes on, or the newest; with \`?run=RUN\` about that one. Read it by
\`fetch\`, because \`EventSource\` cannot send the token. The id of an event is \`RUN:SEQ\`; SEQ counts the lines of the run's log. Send the
last one as \`Last-Event-ID\` to go on: nothing comes twice, nothing is lost. A comment comes every 15 seconds.

| event | data |
|---|---|
${rows(API_EVENTS, (name) => `\`${name}\``)}

## Problems

\`{ "error": SENTENCE, "hint": SENTENCE or null }\`, with one of these codes:

| code | meaning |
|---|---|
| 400 | the body is not JSON |
| 401 | the token is missing, wrong or old |
| 403 | the request comes from another site, or was sent to another host |
| 404 | there is no such address, verb, task or run |
| 405 | the address takes another method |
| 409 | something else has what it needs, or the run is not running |
| 413 | the body is too large |
| 415 | the body is not \`application/json\` |
| 422 | what was sent cannot be done; the sentence says why |
| 500 | a problem of the disk, the configuration or ralphctl |
`;
