/** Secrets that their own form gives away, wherever they come from. None of the patterns looks further than it reads. */
const FORMS = {
  "Anthropic key": String.raw`(?<!\w)sk-ant-[\w-]{16,}`,
  "OpenRouter key": String.raw`(?<!\w)sk-or-v1-[0-9a-f]{32,}`,
  "OpenAI key": String.raw`(?<!\w)sk-(?:(?:proj|svcacct|admin)-[\w-]{20,}|[A-Za-z0-9]{32,})`,
  "AWS key": String.raw`(?<!\w)A(?:KIA|SIA)[A-Z0-9]{16}(?!\w)`,
  "GitHub token": String.raw`(?<!\w)(?:gh[oprsu]_[A-Za-z0-9]{36,}|github_pat_\w{22,})`,
  "GitLab token": String.raw`(?<!\w)gl(?:agent|cbt|dt|ffct|ft|imt|oas|pat|ptt|rt|soat)-[\w-]{20,}`,
  "Slack token": String.raw`(?<!\w)(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,}`,
  "Slack webhook": String.raw`hooks\.slack\.com\/(?:services|triggers|workflows)\/[\w\/-]{20,}`,
  "Discord webhook": String.raw`discord(?:app)?\.com\/api\/webhooks\/\d+\/[\w-]{20,}`,
  "Telegram token": String.raw`(?<!\w)\d{8,10}:[\w-]{35}(?![\w-])`,
  "Stripe key": String.raw`(?<!\w)(?:[rs]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+\/]{24,})`,
  "Google key": String.raw`(?<!\w)(?:AIza[\w-]{35}|ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,})`,
  "npm token": String.raw`(?<!\w)npm_[A-Za-z0-9]{36}(?!\w)`,
  "PyPI token": String.raw`(?<!\w)pypi-AgE[\w-]{50,}`,
  "Hugging Face token": String.raw`(?<!\w)hf_[A-Za-z0-9]{30,}`,
  JWT: String.raw`(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}`,
  // One that is cut has no end.
  "private key": String.raw`-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[^]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)`,
} as const;

export interface Forms {
  readonly names: readonly string[];
  /** One group for each name. */
  readonly pattern: RegExp;
}

/**
 * The known forms, and those of the configuration, in which `*` stands for letters, digits and `_` or `-`. `allowed` are
 * names of forms that are no secrets here.
 */
export function formsOf(own: readonly string[], allowed: ReadonlySet<string>): Forms {
  const all = [...Object.entries(FORMS), ...own.map((form) => [form, patternOf(form)] as const)];
  const wanted = all.filter(([name]) => !allowed.has(name));
  return {
    names: wanted.map(([name]) => name),
    pattern: new RegExp(wanted.map(([, form]) => `(${form})`).join("|"), "g"),
  };
}

const patternOf = (form: string): string =>
  `(?<![\\w-])${form
    .split("*")
    .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`))
    .join("[\\w-]{1,200}")}`;

/** Where a password stands in an address: `scheme://user:password@host`. One that a program fills in is none. */
export const PASSWORD = /(:\/\/[^\s/:@"'<>]{0,80}:)([^\s/:@"'<>$%{}*[\]]{3,200})(?=@[\w[])/g;
