/** The little project of `ralphctl demo`: a spec, a test that is red, and an agent that plays a script. */
export const DEMO_FILES: Readonly<Record<string, string>> = {
  ".ralph/config.yaml": `# The agent of this demo plays a script: no account is needed, and nothing is spent.
harness: scripted
harnesses:
  scripted: { script: .ralph/demo.yaml }
gates:
  - { id: test, run: node --test }
lanes:
  folder: ../lanes
`,
  ".ralph/specs/greeting.md": `# Greeting

- \`greet("Ada")\` returns \`Hello, Ada!\`.
- \`greet()\` returns \`Hello, world!\`.
`,
  "greeting.test.mjs": `import assert from 'node:assert/strict';
import test from 'node:test';
import { greet } from "./greeting.mjs";

test("greets by name", () => {
  assert.equal(greet("Ada"), "Hello, Ada!");
});
`,
  ".ralph/demo.yaml": `# Played by the harness \`scripted\`: one session for each iteration.
sessions:
  - steps: # 1: plans
      - think: The spec asks for two things, and the code for neither exists.
      - write:
          path: IMPLEMENTATION_PLAN.md
          text: |
            # Implementation plan

            ## Greeting

            - [ ] greet(name) greets by name
              The test in greeting.test.mjs must pass.
            - [ ] greet() greets the world
              Add a test for it.
      - cost: 0.01
      - say: |
          The plan is written.

          <promise>COMPLETE</promise>

  - steps: # 2: lies
      - cost: 0.01
      - say: |
          I have implemented greet(name), and all tests pass.

          <task-done>{task}</task-done>

  - steps: # 3: works, because it was told what failed
      - think: The claim was rejected, because greeting.mjs does not exist.
      - write:
          path: greeting.mjs
          text: |
            export const greet = (name) => \`Hello, \${name}!\`;
      - cost: 0.02
      - say: |
          greeting.mjs is there now, and the test passes.

          <task-done>{task}</task-done>

  - steps: # 4: the second task
      - write:
          path: greeting.mjs
          text: |
            export const greet = (name = "world") => \`Hello, \${name}!\`;
      - append:
          path: greeting.test.mjs
          text: |

            test("greets the world", () => {
              assert.equal(greet(), "Hello, world!");
            });
      - cost: 0.02
      - say: |
          greet() greets the world, and a test shows it.

          <task-done>{task}</task-done>
          <promise>COMPLETE</promise>
`,
};
