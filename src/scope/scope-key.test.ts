import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { findScopeKey, openScope } from "./scope.ts";

const root = temporaryFolder({
  "projects/auth/specs/a.md": "",
  "openspec/changes/014-01_add-docs/proposal.md": "# Docs",
  "sprints/login/PROGRESS.yaml": "goal: x\n",
  "sprints/.hidden/PROGRESS.yaml": "goal: x\n",
  ".claude/sprints/one/PROGRESS.yaml": "goal: x\n",
  ".ralph/specs/a.md": "",
});
const place = { root, cwd: root, layouts: async () => ["openspec"] };
const withoutConfiguration = {
  ...place,
  layouts: async (): Promise<never> => {
    throw new Error("the configuration was read");
  },
};

describe("the key of a scope", () => {
  test.each([
    [{}, undefined],
    [{ project: "auth" }, "project/auth"],
    [{ sprint: "sprints/login" }, "sprint/sprints/login"],
    [{ sprint: "sprints/login/" }, "sprint/sprints/login"],
    [{ sprint: ".claude/sprints/one" }, "sprint/.claude/sprints/one"],
  ])("%j is %j, and the configuration is not read for it", async (choice, key) => {
    expect(await findScopeKey(choice, withoutConfiguration)).toBe(key);
  });

  test("a change is found by number or slug", async () => {
    expect(await findScopeKey({ change: "14-1" }, place)).toBe("change/014-01_add-docs");
  });

  test("a sprint's folder is seen from the working directory", async () => {
    expect(await findScopeKey({ sprint: "." }, { ...place, cwd: `${root}/sprints/login` })).toBe(
      "sprint/sprints/login",
    );
  });

  test.each([
    [{ project: "aut" }, 'Unknown project "aut": projects/aut does not exist'],
    [{ sprint: "sprints/logn" }, "The sprint folder sprints/logn does not exist"],
    [{ change: "99" }, 'Unknown change "99"'],
  ])("%j answers to nothing", async (choice, message) => {
    await expect(findScopeKey(choice, place)).rejects.toThrow(message);
  });

  test.each([
    [{ project: "" }, 'The project name "" is empty'],
    [{ project: "../x" }, 'The project name "../x" contains a path separator'],
    [{ sprint: " " }, 'The sprint name " " is empty'],
    [{ sprint: "sprints/.hidden" }, 'The sprint name ".hidden" starts with a dot'],
    [{ sprint: ".git/hooks" }, 'The sprint name ".git" starts with a dot'],
    [{ sprint: ".ralph/runs" }, 'The sprint name ".ralph" starts with a dot'],
    [{ sprint: "sprints/a\u202e" }, 'The sprint name "a\u202e" contains a control character'],
  ])("S000-E4 %j is refused before anything is looked for", async (choice, message) => {
    await expect(findScopeKey(choice, place)).rejects.toThrow(message);
  });
});

describe("a sprint as a scope", () => {
  const settings = {
    root,
    cwd: `${root}/sprints`,
    specsDirs: [".ralph/specs"],
    plan: "auto",
    prompts: { plan: "PROMPT_plan.md", build: "PROMPT_build.md" },
    layouts: ["openspec"],
  } as const;

  test("has its progress file as plan, seen from the workspace", async () => {
    expect(await openScope({ sprint: "login" }, settings)).toEqual({
      key: "sprint/sprints/login",
      sprint: "sprints/login",
      prompts: settings.prompts,
      specsDirs: [".ralph/specs"],
      planFiles: ["sprints/login/PROGRESS.yaml"],
      warnings: [],
    });
  });

  test("outside the workspace, it is none", async () => {
    const outside = temporaryFolder({ "later/PROGRESS.yaml": "" });
    await expect(openScope({ sprint: `${outside}/later` }, settings)).rejects.toThrow("is not inside the workspace");
  });
});
