import { expect, test } from "vitest";
import { createPatchStat, type FileStat } from "./patch-stat.ts";

const statOf = (patch: string): readonly FileStat[] => {
  const stat = createPatchStat();
  for (const line of patch.split("\n")) stat.line(line);
  return stat.files();
};

const text = (path: string, added: number, removed: number): FileStat => ({ path, added, removed, isBinary: false });

test("lines that a patch adds and removes are counted by file", () => {
  expect(
    statOf(`diff --git a/README.md b/README.md
index 46a3a7c..17b052a 100644
--- a/README.md
+++ b/README.md
@@ -2,4 +2,5 @@
 one
-two
+2
+two and a half
 three
 four
@@ -20 +21 @@ a heading
-last
\\ No newline at end of file
+end
diff --git a/src/new.ts b/src/new.ts
new file mode 100644
index 0000000..f7a2382
--- /dev/null
+++ b/src/new.ts
@@ -0,0 +1,2 @@
+a
+b
`),
  ).toEqual([text("README.md", 3, 2), text("src/new.ts", 2, 0)]);
});

test("what reads like a header inside a hunk is counted as what it is", () => {
  expect(
    statOf(`diff --git a/x.sql b/x.sql
--- a/x.sql
+++ b/x.sql
@@ -1,3 +1,3 @@
--- a comment that goes
-diff --git a/y b/y
+++ a line that begins with plus signs
+@@ -1 +1 @@
 end
diff --git a/z b/z
deleted file mode 100644
--- a/z
+++ /dev/null
@@ -1 +0,0 @@
-z
`),
  ).toEqual([text("x.sql", 2, 2), text("z", 0, 1)]);
});

test("files without lines are named, too: binary ones, changed modes, names with spaces or quotes", () => {
  expect(
    statOf(`diff --git a/logo.png b/logo.png
index 1111111..2222222 100644
GIT binary patch
literal 3
KcmZQzU|?i+

diff --git a/run it.sh b/run it.sh
old mode 100644
new mode 100755
diff --git "a/na\\303\\257ve.txt" "b/na\\303\\257ve.txt"
--- "a/na\\303\\257ve.txt"
+++ "b/na\\303\\257ve.txt"
@@ -1 +1 @@
-a
+b
`),
  ).toEqual([
    { ...text("logo.png", 0, 0), isBinary: true },
    text("run it.sh", 0, 0),
    text('"na\\303\\257ve.txt"', 1, 1),
  ]);
});

test("what is no patch has no files", () => {
  expect([statOf(""), statOf("+a\n-b\n@@ -1 +1 @@\n+c\n")]).toEqual([[], []]);
});
