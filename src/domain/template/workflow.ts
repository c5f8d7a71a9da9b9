import { DEFAULT_GOAL_PROMPT, DEFAULT_REFLECTION_PROMPT } from "../prompt/sprint.ts";

const indented = (text: string): string => text.replaceAll(/^/gm, "  ");

/** .claude/workflows/ralph.yaml as `init` writes it: the goal-driven workflow, all of its hooks switched off. */
export const RALPH_WORKFLOW = `name: Ralph Mode Workflow
description: Works towards a goal in iterations until the goal is verified.

mode: ralph

# The task of an iteration that plans.
goal-prompt: |
${indented(DEFAULT_GOAL_PROMPT)}

# The task of an iteration that looks back, when no step is pending any more.
reflection-prompt: |
${indented(DEFAULT_REFLECTION_PROMPT)}

# What runs after each iteration. A sprint switches a hook on by its id, in SPRINT.yaml:
#   per-iteration-hooks:
#     learning:
#       enabled: true
per-iteration-hooks:
  - id: learning
    prompt: |
      Read the changes of the last commit. Write into AGENTS.md what the next session must know, in a line or two.
      Change nothing else.
    parallel: false
    enabled: false
  - id: documentation
    prompt: |
      Read the changes of the last commit. Bring README and the documentation in line with them. Change nothing else.
    parallel: false
    enabled: false
  - id: tests
    prompt: |
      Read the changes of the last commit. Add the tests that it lacks. Change nothing but tests.
    parallel: false
    enabled: false
`;
