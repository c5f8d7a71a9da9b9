/** What each file of `init` is for, by the end of its path. */
const DOCS: readonly (readonly [RegExp, string])[] = [
  [/^\.ralph\/config\.yaml$/, "settings: the agent, the checks, the limits"],
  [/^\.ralph\/config\.schema\.json$/, "lets your editor complete and check the settings"],
  [/^\.ralph\/\.gitignore$/, "keeps tasks and logs of runs out of git"],
  [/^\.claude\/workflows\//, "the workflow of sprints that work towards a goal"],
  [/PROMPT_plan\.md$/, "what an agent is told when it plans"],
  [/PROMPT_build\.md$/, "what an agent is told when it works"],
  [/IMPLEMENTATION_PLAN\.md$/, "the tasks, as check boxes"],
  [/\.gitkeep$/, "keeps the folder for your specifications in git"],
];

/** Paths with what each is for, aligned. */
export function explained(paths: readonly string[]): string[] {
  const width = Math.max(0, ...paths.map((path) => path.length));
  return paths.map((path) => {
    const doc = DOCS.find(([shape]) => shape.test(path))?.[1];
    return doc === undefined ? path : `${path.padEnd(width)}  ${doc}`;
  });
}
