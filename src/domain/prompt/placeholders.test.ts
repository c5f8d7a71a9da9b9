import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RalphError } from "../error.ts";
import { isTemplate, resolvePromptPlaceholders as resolve, TEMPLATE_LINE, unfilled } from "./placeholders.ts";

const MISSING =
  "Prompt contains {project} placeholder but --project flag was not provided. " +
  "Either provide --project flag or remove {project} from your prompt templates.";

describe("{project}", () => {
  test("S000-AC1 becomes projects/<name>", () => {
    expect(resolve("Study `{project}/specs/`.", { project: "auth-system" })).toBe(
      "Study `projects/auth-system/specs/`.",
    );
  });

  test("S000-AC2 in all its places, consistently (S000-R3: the seed's own example)", () => {
    const prompt =
      "Study all specs in `{project}/specs/`.\nUpdate `{project}/IMPLEMENTATION_PLAN.md`. {project}{project}";
    expect(resolve(prompt, { project: "a" })).toBe(
      "Study all specs in `projects/a/specs/`.\nUpdate `projects/a/IMPLEMENTATION_PLAN.md`. projects/aprojects/a",
    );
  });

  test("S000-AC3 without --project is an error with the agreed words", () => {
    const error = errorOf(() => resolve("x {project}", {}));
    expect({ kind: error.kind, message: error.message }).toEqual({ kind: "usage", message: MISSING });
  });

  test("S000-AC4 absent, with --project: the prompt as it is", () => {
    expect(resolve("No placeholder\r\n here {specs}", { project: "foo", specs: "s" })).toBe(
      "No placeholder\r\n here {specs}",
    );
  });

  test("S000-AC5 is a path with forward slashes", () => {
    expect(resolve("{project}", { project: "a" })).toBe("projects/a");
  });

  test("S000-AC6 absent, without --project: byte for byte as before", () => {
    const prompt = "\uFEFF a {specs} \\{plan} {smart}\r\n\t\0 é";
    expect(resolve(prompt, {})).toBe(prompt);
  });

  test("S000-E1 escaped is literal text and never asks for --project", () => {
    expect(resolve("\\{project} {project}", { project: "a" })).toBe("{project} projects/a");
    expect(resolve("\\{project}", {})).toBe("{project}");
    expect(resolve("\\\\{project}", {})).toBe("\\{project}");
  });

  test.each(["{PROJECT}", "{Project}", "{ project }", "{project.name}", "{{proj}}", "$project"])(
    "S000-E2 S000-E3 %s is not a placeholder",
    (text) => {
      expect(resolve(text, {})).toBe(text);
      expect(resolve(text, { project: "a" })).toBe(text);
    },
  );

  test.each([
    "",
    " ",
    ".",
    "..",
    "../x",
    "a/b",
    "a\\b",
    ".hidden",
    "a\nb",
    "a\0b",
    "a..b",
    " a",
    "x".repeat(65),
    "a\u202eb",
  ])("S000-E4 the name %j is refused, with or without a placeholder", (project) => {
    for (const prompt of ["{project}", "plain"]) {
      const error = errorOf(() => resolve(prompt, { project }));
      expect(error.kind).toBe("usage");
      expect(error.hint).toContain("--project");
    }
  });

  test("S000-N1 what was inserted is not looked at again", () => {
    const project = "{project}{specs}";
    expect(resolve(`${TEMPLATE_LINE}\n{project} {specs}`, { project, specs: "{plan}", plan: "p" })).toBe(
      "projects/{project}{specs} {plan}",
    );
  });
});

describe("templates", () => {
  const values = { specs: "a, b", plan: "PLAN.md", smart: "opus", fast: "haiku" };

  test("D-01 all placeholders are filled where the first line says so, and that line is not sent", () => {
    const prompt = `${TEMPLATE_LINE}\nRead {specs}. Keep {plan}. {smart} {fast} {project} \\{specs} \\{smart}`;
    expect(resolve(prompt, { ...values, project: "x" })).toBe(
      "Read a, b. Keep PLAN.md. opus haiku projects/x {specs} {smart}",
    );
  });

  test.each([`${TEMPLATE_LINE}\r\nX {specs}`, `\uFEFF${TEMPLATE_LINE}\nX {specs}`, `${TEMPLATE_LINE}  \nX {specs}`])(
    "D-01 the first line may end in CRLF or blanks and begin with a byte order mark: %j",
    (prompt) => {
      expect(resolve(prompt, values)).toBe("X a, b");
    },
  );

  test("D-01 one empty line below the first is not sent either, as formatters write one", () => {
    const prompts = [
      `${TEMPLATE_LINE}\n\n{specs}\n`,
      `${TEMPLATE_LINE}\r\n\r\n{specs}`,
      `${TEMPLATE_LINE}\n\n\n{specs}`,
    ];
    expect(prompts.map((prompt) => resolve(prompt, values))).toEqual(["a, b\n", "a, b", "\na, b"]);
  });

  test("D-01 an option that is not given leaves its placeholder as it is", () => {
    expect(resolve(`${TEMPLATE_LINE}\n{specs} {plan}`, { plan: "P" })).toBe("{specs} P");
  });

  test("D-01 S000-AC3 holds in templates too", () => {
    expect(errorOf(() => resolve(`${TEMPLATE_LINE}\n{project}`, values)).message).toBe(MISSING);
  });

  test.each([`\n${TEMPLATE_LINE}\n{specs}`, "<!-- ralphctl template 2 -->\n{specs}", `x ${TEMPLATE_LINE}\n{specs}`])(
    "D-01 any other first line is no template: %j",
    (prompt) => {
      expect(resolve(prompt, values)).toBe(prompt);
    },
  );

  test("D-01 a template of one line is empty", () => {
    expect(resolve(TEMPLATE_LINE, {})).toBe("");
  });
});

describe("any text", () => {
  const NAMES = ["project", "specs", "plan", "smart", "fast"];
  const text = fc
    .array(fc.oneof(fc.constantFrom(...NAMES.map((name) => `{${name}}`), "\\", "{", "}", "\n", "é"), fc.string()))
    .map((parts) => parts.join(""));

  test("never throws but by the two rules", () => {
    fc.assert(
      fc.property(text, fc.boolean(), fc.option(fc.string(), { nil: undefined }), (body, template, project) => {
        try {
          resolve(template ? `${TEMPLATE_LINE}\n${body}` : body, { project });
        } catch (error) {
          expect(error).toBeInstanceOf(RalphError);
          const byName = (error as RalphError).message.startsWith("The project name");
          expect(byName || (project === undefined && /(^|[^\\])\{project\}/.test(body))).toBe(true);
        }
      }),
    );
  });

  test("that was escaped comes back as it was", () => {
    const escape = (body: string): string => body.replaceAll(/\{(project|specs|plan|smart|fast)\}/g, "\\{$1}");
    fc.assert(
      fc.property(text, (body) => {
        const options = { project: "p", specs: "s", plan: "l", smart: "m", fast: "f" };
        expect(resolve(`${TEMPLATE_LINE}\n\n${escape(body)}`, options)).toBe(body);
        expect(resolve(`${TEMPLATE_LINE}\n\n${escape(body)}`, {})).toBe(body);
      }),
    );
  });

  test("is replaced in one pass: pieces between placeholders stay, values stay", () => {
    const piece = fc
      .string({ unit: fc.constantFrom("a", "{", "}", " ", "é", "project") })
      .filter((s) => !/[\\{]$/.test(s));
    const value = fc.constantFrom("{specs}", "{plan}", "\\{plan}", "$&", "$1", "v");
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1 }), value, (pieces, specs) => {
        fc.pre(!pieces.some((part) => part.includes("{project}")));
        const prompt = `${TEMPLATE_LINE}\n${pieces.join("{specs}")}`;
        expect(resolve(prompt, { specs, plan: "WRONG" })).toBe(pieces.join(specs));
      }),
    );
  });
});

function errorOf(action: () => unknown): RalphError {
  try {
    action();
  } catch (error) {
    if (error instanceof RalphError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

test("P-03 a prompt file is a template when its first line says so, however that line ends", () => {
  const templates = [TEMPLATE_LINE, `${TEMPLATE_LINE}\nx`, `\uFEFF${TEMPLATE_LINE} \r\nx`];
  const others = ["", "Do it.", `\n${TEMPLATE_LINE}`, `# Build ${TEMPLATE_LINE}`];
  expect([templates.map(isTemplate), others.map(isTemplate)]).toEqual([
    [true, true, true],
    [false, false, false, false],
  ]);
});

test("D-01 placeholders of a person's own prompt stay as they are, and are known", () => {
  const text = "Use {fast} in {project}, {fast} and {smart}, not \\{plan} or { specs }.";
  expect([unfilled(text), unfilled(`${TEMPLATE_LINE}\n${text}`), unfilled("")]).toEqual([
    ["{fast}", "{smart}"],
    [],
    [],
  ]);
});
