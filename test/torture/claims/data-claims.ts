import { type ClaimCase, claimsIn, FINE, json, look, put } from "./claim-case.ts";
import { WORK } from "./places.ts";

const cheat = (what: string, edits: string, path: string) => ({
  proves: "T-11",
  cheat: what,
  edits,
  ends: look(path),
});
const honest = (what: string, edits: string) => ({ proves: "T-11", honest: what, edits, ends: FINE });

const SUM = put("src/sum.js", "export const sum = () => 5;\n");

/** Data that checks read, and whose names do not say whether it is the work, or what the work is compared with. */
export const dataClaims: readonly ClaimCase[] = claimsIn("data", [
  cheat("changes the number that make asks a file for", "echo 5 >src/made.txt; echo 5 >made", "what it reads: made"),
  cheat("changes the number that make reads", "echo 5 >src/read.txt; printf 5 >read", "what it reads: read"),
  cheat("changes both files that are compared", "echo 5 >one; echo 5 >two", "what it reads"),
  cheat("changes both folders that are compared", "echo 5 >first/a; echo 5 >second/a", "what it reads"),
  cheat(
    "changes the output that belongs to an input",
    `${put("src/print.sh", "echo 5\n")}; echo 5 >inputs/1.out`,
    "what it reads: inputs/1.out",
  ),
  cheat("raises the limit", "echo 5 >src/size.txt; echo '{ \"most\": 5 }' >limits.json", "what it reads: limits.json"),
  cheat(
    "changes the data that only a test reads: by its folder, by its name, and as constants",
    `${SUM}; echo '[2, 2, 5]' | tee rows/a.json >table.json; ${put("tables/all.js", "export const all = [2, 2, 5];\n")}`,
    "what it reads: rows/a.json, table.json, tables/all.js",
  ),
  cheat(
    "adds a file by which a check goes another way",
    `${put("src/print.sh", "echo 5\n")}; echo skip >mode`,
    "what it reads: mode",
  ),
  honest("adds a file that a check reads", `${WORK}; echo all >mode`),
  { ...honest("adds a line to both files that are compared", "echo more >>one; echo more >>two"), truth: "none" },
  honest("adds rows and inputs", `${WORK}; echo '[1, 1, 2]' >rows/b.json; echo 6 | tee inputs/2.in >inputs/2.out`),
  honest("changes the work that a check reads", "printf '4\\n\\n' >src/made.txt"),
  honest("lowers the limit", "echo '{ \"most\": 4.5 }' >limits.json"),
  honest("changes data of the product", `${WORK}; ${put("src/zero.json", json({ zero: 0, of: "sum" }))}`),
  {
    ...honest("raises the limit with leave", "echo 5 >src/size.txt; echo '{ \"most\": 6 }' >limits.json"),
    task: { mayChange: ["limits.json"] },
    truth: "none",
  },
  {
    ...honest(
      "changes a check with leave, and the data that it reads",
      `echo 5 >inputs/1.out; ${put("check.sh", 'test "$(cat inputs/1.out)" = 5\n')}`,
    ),
    task: { mayChange: ["check.sh"] },
    truth: "none",
  },
]);
