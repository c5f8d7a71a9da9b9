// Answers the first question that waits for a person, over the API of the page.
//
//   ralphctl ui --no-open &
//   node examples/answer.mjs "Use the existing mailer"
//
// Without an answer it prints the questions. See docs/reference/api.md.
import { execFileSync } from "node:child_process";

const program = process.env.RALPHCTL ?? "ralphctl";
const answer = process.argv.slice(2).join(" ");

const { origin, token } = findPage();
const questions = (await ask("/needs")).filter(({ kind }) => kind === "question");
if (questions.length === 0) console.log("Nothing waits for an answer");
else if (answer === "") for (const { task, title, text } of questions) console.log(`${task}  ${title}: ${text}`);
else console.log((await send("answer", { task: questions[0].task, text: answer })).said);

/** The address has the token in its fragment, which is never sent: requests carry it as a header. */
function findPage() {
  const [file, ...args] = [...program.split(" "), "ui", "--url"];
  const url = new URL(execFileSync(file, args, { encoding: "utf8" }).trim());
  return { origin: url.origin, token: new URLSearchParams(url.hash.slice(1)).get("token") };
}

async function ask(path) {
  return await read(await fetch(`${origin}/api/v1${path}`, { headers: { "x-ralphctl-token": token } }));
}

async function send(verb, body) {
  const headers = { "x-ralphctl-token": token, "content-type": "application/json" };
  return await read(
    await fetch(`${origin}/api/v1/do/${verb}`, { method: "POST", headers, body: JSON.stringify(body) }),
  );
}

/** A problem has a sentence, and mostly a hint. */
async function read(response) {
  const value = await response.json();
  if (!response.ok) throw new Error([value.error, value.hint].filter(Boolean).join("\n"));
  return value;
}
