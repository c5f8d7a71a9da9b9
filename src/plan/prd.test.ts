import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { planContract } from "./plan.contract.ts";
import { PlanError } from "./plan.ts";
import { prd } from "./prd.ts";
import { byLane } from "../../test/lane.ts";

const story = fc.record(
  {
    id: fc.oneof(fc.constantFrom("US-1", "US-2", "US-3"), fc.string(), fc.integer()),
    title: fc.oneof(fc.constantFrom("Sign in", "Sign out"), fc.string()),
    description: fc.string(),
    acceptanceCriteria: fc.array(fc.string()),
    priority: fc.oneof(fc.integer(), fc.constant("high")),
    passes: fc.boolean(),
    notes: fc.string(),
    dependsOn: fc.array(fc.constantFrom("US-1", "US-2", "US-9")),
    extra: fc.jsonValue(),
  },
  { requiredKeys: ["title"] },
);

planContract(
  prd,
  fc
    .record({
      stories: fc.array(story, { maxLength: 5 }),
      indent: fc.constantFrom("", " ", "\t", 3),
      isList: fc.boolean(),
      ending: fc.constantFrom("\n", "\r\n"),
      around: fc.constantFrom("", "\n", "\uFEFF"),
    })
    .map(({ stories, indent, isList, ending, around }) => {
      const text = JSON.stringify(
        isList ? stories : { name: "x", userStories: stories, passes: false },
        undefined,
        indent,
      );
      return around + text.replaceAll("\n", ending);
    }),
);

const TEXT = `{
  "branchName": "ralph/login",
  "userStories": [
    {
      "id": "US-001",
      "title": "Sign in",
      "description": "As a user I sign in",
      "acceptanceCriteria": ["mail and password", "typecheck passes"],
      "priority": 2, "passes" :false,
      "notes": "see \\"passes\\": true"
    },
    { "id": 7, "description": "Sign out\\nquickly", "steps": "click it", "passes": true, "dependencies": ["US-001"] },
    { "title": "No mark" }
  ]
}
`;

describe("reading", () => {
  test("stories become entries", () => {
    const { entries, notices } = prd.read(TEXT);
    expect(notices).toEqual([]);
    expect(entries).toEqual([
      {
        key: "id:US-001",
        kind: "task",
        id: "US-001",
        title: "Sign in",
        description: 'As a user I sign in\n\nsee "passes": true',
        acceptance: ["mail and password", "typecheck passes"],
        status: "open",
        needs: [],
        priority: 2,
        line: 4,
        mark: { start: TEXT.indexOf("false"), end: TEXT.indexOf("false") + 5 },
      },
      {
        key: "id:7",
        kind: "task",
        id: "7",
        title: "Sign out",
        description: "Sign out\nquickly",
        acceptance: ["click it"],
        status: "done",
        needs: ["id:US-001"],
        line: 12,
        mark: { start: TEXT.lastIndexOf("true,"), end: TEXT.lastIndexOf("true,") + 4 },
      },
      {
        key: entries[2]!.key,
        kind: "task",
        title: "No mark",
        description: "",
        acceptance: [],
        status: "open",
        needs: [],
        line: 13,
      },
    ]);
  });

  test.each([
    ["", 1, 1, "Expected a value, found the end of the file"],
    ['{"userStories": [', 1, 18, "Expected a value, found the end of the file"],
    ['{\n  "userStories": [{"title": "a",}]\n}', 2, 33, 'Expected a name in `"`, found `}]`'],
    ['[{"title": "a"} {"title": "b"}]', 1, 17, 'Expected `,` or `]`, found `{"title":`'],
    ['[{"title": "a" // why\n}]', 1, 16, "Expected `,` or `}`, found `//`"],
    ['["a\nb"]', 1, 4, "Expected the end of a string, found the end of the line"],
    ['["\\x"]', 1, 2, 'Expected a string with valid escapes, found `"\\x"]`'],
    ["[] []", 1, 4, "Expected the end of the file, found `[]`"],
    ["[01]", 1, 3, "Expected `,` or `]`, found `1]`"],
    ["{}", 1, 1, "`userStories` is missing"],
    ['{"userStories": {}}', 1, 17, "`userStories` is not a list"],
    ["[1]", 1, 2, "A story is not an object"],
    ['[{"id": "US-1"}]', 1, 2, "A story has no `title`"],
    ['[{"title": "a", "passes": "yes"}]', 1, 27, "`passes` is neither true nor false"],
  ])("P-53 %j", (text, ...expected) => {
    const [line, column, problem] = expected;
    const caught = (() => {
      try {
        return prd.read(text);
      } catch (error) {
        return error as PlanError;
      }
    })();
    expect(caught).toBeInstanceOf(PlanError);
    const { message, ...rest } = caught as PlanError;
    expect([message, rest.line, rest.column]).toEqual([`Line ${line}, column ${column}: ${problem}`, line, column]);
  });

  test("reads what JSON.parse reads, and refuses what it refuses", () => {
    const isJson = (text: string): boolean => {
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    };
    const syntax = fc.array(
      fc.constantFrom(
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        '"a"',
        '"\\u00',
        "1",
        "-",
        "0.5",
        "1e9",
        "true",
        "nul",
        " ",
        "\\",
        "\t",
      ),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          syntax.map((parts) => parts.join("")),
        ),
        (text) => {
          const wrapped = `{"userStories": [], "x": ${text}}`;
          expect(
            (() => {
              try {
                return prd.read(wrapped).entries.length === 0;
              } catch (error) {
                expect(error).toBeInstanceOf(PlanError);
                return (error as PlanError).message.includes("userStories");
              }
            })(),
          ).toBe(isJson(wrapped));
        },
      ),
      { numRuns: byLane(300, 2000) },
    );
  });
});

describe("writing", () => {
  test("P-50 only the token changes", () => {
    expect(prd.write(TEXT, new Map([["id:US-001", "done"]]))).toBe(TEXT.replace(":false", ":true"));
    expect(prd.write(TEXT, new Map([["id:7", "failed"]]))).toBe(TEXT.replace('passes": true,', 'passes": false,'));
  });

  test("there is no word for dropped: it stays false", () => {
    expect(prd.write(TEXT, new Map([["id:US-001", "dropped"]]))).toBe(TEXT);
  });

  test("a story without a mark gets one the way its last member is set", () => {
    const [, , last] = prd.read(TEXT).entries;
    expect(prd.write(TEXT, new Map([[last!.key, "done"]]))).toBe(
      TEXT.replace('{ "title": "No mark" }', '{ "title": "No mark", "passes": true }'),
    );
    const tall = '[\r\n  {\r\n    "title": "a"\r\n  }\r\n]';
    expect(prd.write(tall, new Map([[prd.read(tall).entries[0]!.key, "done"]]))).toBe(
      '[\r\n  {\r\n    "title": "a",\r\n    "passes": true\r\n  }\r\n]',
    );
  });
});
