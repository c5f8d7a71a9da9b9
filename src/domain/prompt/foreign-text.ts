/**
 * The headings that structure a prompt. A text that is not ours (context, proposal, description, report) may contain
 * the same lines, by accident or on purpose; then the agent could not tell where our section ends.
 */
const HEADINGS: readonly RegExp[] = [
  /^# Ralph Wiggum Loop - Iteration \d/,
  /^## Additional Context \(added by user mid-loop\)$/,
  /^## Validation Failure \(completion rejected\)$/,
  /^## Your Task$/,
  /^## Instructions$/,
  /^## Critical Rules$/,
  /^## AUTONOMY REQUIREMENTS \(CRITICAL\)$/,
  /^## Current Iteration: /,
  /^## Change Proposal \(/,
  /^## Module \(/,
  /^## Assigned Task$/,
  /^### (?:Description|Parent Context|Completed Prerequisites|Reference Specs)$/,
  /^## How this will be verified$/,
  /^## Earlier attempts$/,
  /^## Harness failure in the last iteration$/,
  /^## Protocol notes$/,
  /^# Sprint: .* \| Iteration: /,
  /^## (?:Goal|Current Position|Adding a Step|When the Goal Is Achieved)$/,
];

/**
 * A text of somebody else's, safe to stand inside a section of ours: a line that reads like one of our headings gets a
 * backslash, which Markdown shows as the same words. Everything else stays verbatim, sigils included: claims are read
 * from the agent's final message alone, never from a prompt.
 */
export function foreignText(text: string): string {
  if (!/^ {0,3}#/m.test(text)) return text;
  return text.replace(/^( {0,3})(#{1,3} [^\r\n]*)/gm, (line, indent: string, heading: string) =>
    HEADINGS.some((ours) => ours.test(heading.trimEnd())) ? `${indent}\\${heading}` : line,
  );
}

/** A text of somebody else's on one line: titles, ids and list entries cannot start a section. */
export const oneLine = (text: string): string => text.replace(/\s*[\r\n\u2028\u2029\u0085]+\s*/g, " ").trim();
