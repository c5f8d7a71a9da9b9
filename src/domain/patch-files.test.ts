import { expect, test } from "vitest";
import { patchFiles, withoutQuotes } from "./patch-files.ts";
import { createPatchWindow } from "./patch-window.ts";

const PATCH = `diff --git a/src/a.ts b/src/a.ts
index 46a3a7c..17b052a 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -2,3 +2,4 @@ function a() {
 one
-two
+2
+two and a half
 three
@@ -20 +21 @@
-last
\\ No newline at end of file
+end
diff --git a/old.ts b/new-name.ts
similarity index 90%
rename from old.ts
rename to new-name.ts
diff --git "a/na\\303\\257ve.sh" "b/na\\303\\257ve.sh"
old mode 100644
new mode 100755
diff --git a/logo.png b/logo.png
new file mode 100644
index 1111111..2222222
GIT binary patch
literal 3
KcmZQzU|?i+

diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-diff is a word here
`;

test("the files of a patch have their lines with both numbers, and what happened to them", () => {
  const [changed, renamed, mode, binary, gone] = patchFiles(PATCH);
  expect(changed).toEqual({
    path: "src/a.ts",
    change: "changed",
    added: 3,
    removed: 2,
    isBinary: false,
    rows: [
      { kind: "hunk", text: "function a() {", was: 2, is: 2 },
      { kind: "same", text: "one", was: 2, is: 2 },
      { kind: "removed", text: "two", was: 3 },
      { kind: "added", text: "2", is: 3 },
      { kind: "added", text: "two and a half", is: 4 },
      { kind: "same", text: "three", was: 4, is: 5 },
      { kind: "hunk", text: "", was: 20, is: 21 },
      { kind: "removed", text: "last", was: 20 },
      { kind: "added", text: "end", is: 21 },
    ],
  });
  expect(renamed).toMatchObject({ path: "new-name.ts", from: "old.ts", change: "renamed", rows: [] });
  expect(mode).toMatchObject({ path: "naïve.sh", mode: "100755", change: "changed", rows: [] });
  expect(binary).toMatchObject({ path: "logo.png", change: "added", isBinary: true, rows: [] });
  expect(gone).toMatchObject({ path: "gone.txt", change: "deleted", removed: 1 });
});

test("where a hidden secret left fewer lines than the patch says, the next file is still one", () => {
  const patch = "diff --git a/k b/k\n@@ -0,0 +1,9 @@\n+[private key]\ndiff --git a/z b/z\n@@ -1 +1 @@\n-a\n+b\n";
  expect(patchFiles(patch).map(({ path, added }) => [path, added])).toEqual([
    ["k", 1],
    ["z", 1],
  ]);
});

test("names are read as git quotes them", () => {
  expect([
    withoutQuotes('"a\\tb\\"\\\\c\\n"'),
    withoutQuotes('"\\360\\237\\220\\242 x"'),
    withoutQuotes("plain"),
  ]).toEqual(['a\tb"\\c\n', "🐢 x", "plain"]);
});

test("the beginning of a patch has every file, of each as many lines as there is room for, and is a patch", () => {
  const beginning = (perFile: number, inAll: number, perLine = 1000): string => {
    const window = createPatchWindow({ perFile, inAll, perLine });
    for (const line of PATCH.split("\n")) window.line(line);
    expect(window.lines()).toBeLessThanOrEqual(inAll);
    return window.text();
  };
  const counts = (text: string): unknown => patchFiles(text).map(({ rows }) => rows.length);
  expect(counts(PATCH)).toEqual([9, 0, 0, 0, 2]);
  expect(counts(beginning(100, 100))).toEqual([9, 0, 0, 0, 2]);
  expect(counts(beginning(4, 100))).toEqual([4, 0, 0, 0, 2]);
  expect(counts(beginning(100, 5))).toEqual([5, 0, 0, 0, 0]);
  expect(beginning(100, 100)).not.toContain("KcmZ");
  expect(beginning(100, 100, 8)).toContain("+two and…\n");
});
