// Adds tasks and shows which one is next: node examples/plan-tasks.mjs [FOLDER]
import { openWorkspace } from "ralphctl";

const [cwd = "."] = process.argv.slice(2);
const workspace = await openWorkspace({ cwd });

const model = await workspace.tasks.add({ title: "Write the data model", acceptance: ["Every field is documented"] });
await workspace.tasks.add({ title: "Write the form", needs: [model.id] });
await workspace.context.add("Use the words of docs/glossary.md.");

for await (const { title, ready } of workspace.tasks.list()) console.log(`${ready ? "ready" : "later"}  ${title}`);
const [next] = await workspace.tasks.ready();
console.log(`Next: ${next?.title}`);
