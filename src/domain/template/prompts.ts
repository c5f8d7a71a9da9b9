import { TEMPLATE_LINE } from "../prompt/placeholders.ts";

/** PROMPT_plan.md as `init` writes it. */
export const PLAN_PROMPT = `${TEMPLATE_LINE}

# Plan

Compare what the specs ask for with what the repository contains, and write down what is missing.

1. Read every spec in {specs}.
2. Read {plan}, if it exists. It may be incomplete or wrong.
3. Search the code before you call anything missing. Look for stubs, placeholders, skipped tests and TODO comments.
   Use {fast} for searching, and {smart} for judging what you found.
4. Write {plan}: one check box per task, the most important first.

An entry of the plan looks like this:

    ## Part of the product

    - [ ] What will be true when this is done
      What to do, and how to check it.

Keep entries that are ticked. Remove entries that make no sense any more.
Each open entry must be small enough for one session, and say how its result can be checked.
Do not implement anything. Do not change existing specs.
`;

/** PROMPT_build.md as `init` writes it. */
export const BUILD_PROMPT = `${TEMPLATE_LINE}

# Build

Carry out the task that is assigned below. It is the only one for this session.

1. Read the specs in {specs} that concern it, and the code that it touches.
2. Search before you write: what you need may exist already.
   Use {fast} for searching, and {smart} for design and for debugging.
3. Implement it in full, with tests that fail without it.
4. Run the checks that are named below until all of them pass, including those that failed before you started.
5. Write into AGENTS.md what the next session must know, in a line or two.
6. Commit changes, with a message that says why.

If you notice other work that is needed, add it to {plan} as an entry of its own and go on with your task.
`;

/** The plan file of a new project. */
export const EMPTY_PLAN = `# Implementation plan

Run \`ralphctl run plan\` to write it from the specs, or add entries by hand:

<!--
## Part of the product

- [ ] What will be true when this is done
-->
`;
