import { type ComponentType, h } from "preact";
import { render } from "preact-render-to-string";
import { describe, expect, test } from "vitest";
import { layOut } from "../../domain/graph/layout.ts";
import { patchFiles } from "../../domain/patch-files.ts";
import { taskStates } from "../../domain/task-state.ts";
import { DiffFile } from "./diff.tsx";
import { Evidence } from "./evidence.tsx";
import { fitting } from "./fitting.ts";
import { GraphPicture } from "./graph.tsx";
import { Mark } from "./mark.tsx";
import PARTS from "./parts.css?raw";
import { Facts, Table } from "./table.tsx";
import { TaskCard, TaskLink } from "./task-card.tsx";

/** As an agent may write a title, a name of a file, a line of code or what a program prints. */
const HOSTILE = `<img src=x onerror="alert(1)">&'\u001b[31mred\u001b[0m\u0007\u202egnp.exe\u2066\u001b]0;title\u0007 </script></style>`;

const html = <Props extends object>(part: ComponentType<Props>, props: NoInfer<Props>): string =>
  render(h(part, props));

const patch = (path: string, line: string): string =>
  `diff --git a/${path} b/${path}\nnew file mode 100755\n@@ -1,2 +1,2 @@ ${line}\n-${line}\n+${line}\n`;

const task = { id: HOSTILE, title: HOSTILE, state: "ready" as const };

/** Every part with hostile words wherever words go. */
const parts: Readonly<Record<string, string>> = {
  "task card": html(TaskCard, { ...task, text: HOSTILE, about: [HOSTILE], href: "#/x" }),
  "task link": html(TaskLink, { ...task, href: "#/x" }),
  table: html(Table, { columns: ["a", { long: "b" }], rows: [[HOSTILE, HOSTILE]] }),
  facts: html(Facts, { facts: [["a", HOSTILE]] }),
  diff: patchFiles(patch(HOSTILE, HOSTILE))
    .map((file) => html(DiffFile, { file: { ...file, change: "renamed", from: HOSTILE } }))
    .join(""),
  graph: html(GraphPicture, {
    nodes: [task, { ...task, id: "t-2" }],
    layout: layOut([
      { id: HOSTILE, parent: undefined, needs: [] },
      { id: "t-2", parent: undefined, needs: [HOSTILE] },
    ]),
    critical: [HOSTILE, "t-2"],
  }),
  evidence: html(Evidence, {
    facts: [["Why", HOSTILE]],
    gates: [{ gate: HOSTILE, command: HOSTILE, passed: false, words: HOSTILE, output: HOSTILE }],
    look: HOSTILE,
    notes: [HOSTILE],
  }),
};

describe("U-06 what agents wrote is text", () => {
  test.each(Object.keys(parts))(
    "U-06 hostile words in a %s are escaped, without control sequences or marks of direction",
    (name) => {
      const text = parts[name]!;
      expect(text).toContain("&lt;img src=x onerror=&quot;alert");
      expect(text).not.toMatch(/<(?:img|script)|<\/script|<\/style/);
      expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
      expect(text).not.toContain("[31m");
    },
  );

  test.each(Object.keys(parts))("U-06 a %s has no style of its own: the page's policy allows none", (name) => {
    expect(parts[name]!.replaceAll(/"[^"]*"/g, "")).not.toMatch(/<[a-z][^<>]*\s(?:style|on\w+)=/);
  });
});

test("a file says in words that it is binary, renamed or executable, and how much of it is left out", () => {
  const [file] = patchFiles(patch("a", "x"));
  const words = (change: object, more?: string): string =>
    html(DiffFile, { file: { ...file!, ...change }, more }).replaceAll(/<[^>]+>/g, "");
  expect(words({ isBinary: true, rows: [] })).toBe("a  added, binary, not shown");
  expect(words({ change: "renamed", from: "b", mode: "100755", rows: [] })).toBe(
    "a +1 -1 renamed from b, now executable",
  );
  expect(words({ rows: [] }, "3 more changed lines: somewhere")).toContain("3 more changed lines: somewhere");
  const long = { kind: "added" as const, text: "x".repeat(5000), is: 1 };
  expect(words({ rows: [long] })).toMatch(/x{2000}… 3,000 more characters/);
});

test("U-08 every state has a shape of its own", () => {
  const shapes = taskStates.map((state) => html(Mark, { state }));
  expect(new Set(shapes).size).toBe(taskStates.length);
});

test("a title in a picture is cut by the room that it takes, not by its letters", () => {
  expect(fitting("short", 100)).toBe("short");
  expect([
    fitting("iiiiiiiiii iiiiiiii", 100),
    fitting("WWWWWWWWWWWWWW", 100),
    fitting("漢字漢字漢字漢字漢字", 100),
  ]).toEqual(["iiiiiiiiii iiiiiiii", "WWWWWWW…", "漢字漢字漢字漢…"]);
});

test("U-08 a title in a picture ends with its mark of a cut, also in wide letters, digits and signs, and where it ends", () => {
  // Of the widest common letters, in parts of the size: DejaVu Sans.
  const width = (text: string): number =>
    Array.from(text).reduce((sum, letter) => sum + (/[<>=]/.test(letter) ? 0.84 : letter === "…" ? 1 : 0.636), 0) * 12;
  for (const title of ["1111111111111111111111", "<<<<<====>>>>>====<<<<<", "bdpqnhbdpqnhbdpqnhbdpqnh"])
    expect([title, width(fitting(title, 120)) <= 120]).toEqual([title, true]);
  const drawn = (title: string) =>
    html(GraphPicture, {
      nodes: [{ ...task, id: "t", title }],
      layout: layOut([{ id: "t", parent: undefined, needs: [] }]),
    });
  expect(drawn("إضافة تسجيل الدخول إلى صفحة المتجر مع التحقق من البريد")).toMatch(/>\u2068إضافة[^<]*…\u2069</);
  expect(drawn("Add login")).toContain(">Add login<");
});

test("U-08 a fact of many words has more room than one of few", () => {
  const facts = html(Facts, {
    facts: [
      ["Cost", "$1"],
      ["Summary", "It wrote the file, and ran all tests of the shop"],
    ],
  });
  expect(facts.match(/<div[^>]*>/g)).toEqual(["<div>", '<div class="long">']);
});

describe("U-08 colours", () => {
  /** The part of light that a colour gives back. */
  const light = (hex: string): number => {
    const [red, green, blue] = [1, 3, 5].map((at) => {
      const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
  };
  const contrast = (one: string, other: string): number => {
    const [high, low] = [light(one), light(other)].toSorted((a, b) => b - a);
    return (high! + 0.05) / (low! + 0.05);
  };
  const [bright, dark] = Array.from(PARTS.matchAll(/:root\s*\{([^}]*)\}/g), ([, body]) =>
    Object.fromEntries(Array.from(body!.matchAll(/--([\w-]+):\s*(#\w{6})/g), ([, name, value]) => [name!, value!])),
  );

  test.each([
    ["light", bright!],
    ["dark", dark!],
  ])("U-08 words can be read on every ground: %s", (_, colours) => {
    const low = ["ground", "raised", "added", "removed"].flatMap((ground) =>
      ["text", "quiet", "accent", "good", "bad", "warn", "idle"]
        .filter((name) => contrast(colours[name]!, colours[ground]!) < 4.5)
        .map((name) => `${name} on ${ground}: ${contrast(colours[name]!, colours[ground]!).toFixed(2)}`),
    );
    expect(low).toEqual([]);
  });
});
