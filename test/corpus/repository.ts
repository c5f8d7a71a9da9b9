/** A small repository, laid out as a well-known public one is, and what its maintainers run. */
export interface Repository {
  /** The public one, and what is special about it. */
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly expected: Expected;
}

export interface Expected {
  /** Commands in their order. */
  readonly gates: readonly string[];
  readonly setup?: string;
  /** `COMMAND: REASON` */
  readonly leftOut?: readonly string[];
  /** Commands of CI that no gate covers. */
  readonly uncovered?: readonly string[];
  readonly services?: readonly string[];
  /** Programs that have to be on the PATH. */
  readonly programs: readonly string[];
}

export const json = (value: object): string => `${JSON.stringify(value, undefined, 2)}\n`;

type Job =
  | readonly string[]
  | { readonly steps: readonly (string | object)[]; readonly services?: object; readonly "runs-on"?: string };

/** A workflow of GitHub Actions for pushes and pull requests; JSON is YAML. A step is its command. */
export const actions = (jobs: Readonly<Record<string, Job>>, on: unknown = ["push", "pull_request"]): string =>
  json({
    on,
    jobs: Object.fromEntries(
      Object.entries(jobs).map(([name, job]) => {
        const { steps, ...more } = "steps" in job ? job : { steps: job };
        const written = steps.map((step) => (typeof step === "string" ? { run: step } : step));
        return [name, { "runs-on": "ubuntu-latest", ...more, steps: [{ uses: "actions/checkout@v4" }, ...written] }];
      }),
    ),
  });

export const CI = ".github/workflows/ci.yml";

export const NPM_CI = "npm ci --prefer-offline --no-audit --no-fund";
export const PNPM = "pnpm install --frozen-lockfile --prefer-offline";
export const YARN = "yarn install --frozen-lockfile --prefer-offline";
