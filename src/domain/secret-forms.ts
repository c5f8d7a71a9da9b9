/**
 * Beginnings that one service alone gives to its tokens. What follows is long, and has a digit early on: a name in a
 * program that begins like that seldom does.
 */
const SERVICES =
  "AGE-SECRET-KEY-1 AKCp[58] ATATT3x ATBB ATCTT3x CCIPAT_ CFPAT- CLOJARS_ HRKU- NRAK- PMAK- SG. api_org_ atlasv1. bk[cu][ta]_ csk- " +
  "dapi(?=[0-9a-f]{32}) dckr_oat_ dckr_pat_ do[oprt]_v1_ dp.[cps]t. figd_ fio-u- fm2_ glc_ glsa_ gsk_ hca[il]k_ " +
  "hv[brs]. jina_ lin_api_ lin_oauth_ lsv2_[ps][kt]_ napi_ nfp_ ntn_ nvapi- ops_eyJ pat-(?:na|eu)\\d- pnu_ pplx- pscale_pw_ pscale_tkn_ " +
  "pul- r8_ rdme_ rubygems_ sb_secret_ sbp_ sess- shippo_live_ shpat_ shpca_ shppa_ shpss_ sk-lf- sl.B sntrys_ sntryu_ " +
  "sq0[ac][ts]p- sq[apu]_(?=[0-9a-f]{40}) tfp_ tgp_v1_ tvly- vcp_ xai- xkeysib-";

/**
 * Secrets that their own form gives away, each on one line. None of the patterns looks further than it reads, and none begins
 * with a look behind at more than one character: all of them together would take four times as long.
 */
const FORMS = {
  "Anthropic key": String.raw`(?<!\w)sk-ant-[\w-]{16,}`,
  "OpenRouter key": String.raw`(?<!\w)sk-or-v1-[0-9a-f]{32,}`,
  "OpenAI key": String.raw`(?<!\w)sk-(?:(?:proj|svcacct|admin|None)-[\w-]{20,}|[A-Za-z0-9]{32,})`,
  "AWS key": String.raw`(?<!\w)(?:A(?:KIA|SIA)[A-Z0-9]{16}(?!\w)|(?:ABSK|bedrock-api-key-)[A-Za-z0-9+\/]{40,}={0,2})`,
  "GitHub token": String.raw`(?<!\w)(?:gh[oprsu]_[A-Za-z0-9]{36,}|ghs_\d+_eyJ[\w-]+\.[\w-]+\.[\w-]+|github_pat_\w{22,})`,
  "GitLab token": String.raw`(?<!\w)(?:gl(?:agent|cbt|dt|ffct|ft|imt|oas|pat|ptt|rt|soat)-|GR1348941)[\w-]{20,}`,
  "Slack token": String.raw`(?<!\w)(?:xox[a-eoprs]|xapp)-[A-Za-z0-9%-]{10,}`,
  "Slack webhook": String.raw`hooks\.slack\.com\/(?:services|triggers|workflows)\/[\w\/-]{20,}`,
  "Discord webhook": String.raw`discord(?:app)?\.com\/api\/webhooks\/\d+\/[\w-]{20,}`,
  "Teams webhook": String.raw`webhook\.office\.com\/webhookb2\/[\w\/@-]{20,}`,
  "Telegram token": String.raw`(?<!\w)\d{8,10}:AA[\w-]{33}(?![\w-])`,
  "Stripe key": String.raw`(?<!\w)(?:[rs]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+\/]{24,})`,
  "Google key": String.raw`(?<!\w)(?:AIza[\w-]{35}|AQ\.Ab[\w-]{40,}|1\/\/0[\w-]{40,}|ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,})`,
  "npm token": String.raw`(?<!\w)npm_[A-Za-z0-9]{36}(?!\w)`,
  "PyPI token": String.raw`(?<!\w)pypi-AgE[\w-]{50,}`,
  "Hugging Face token": String.raw`(?<!\w)hf_[A-Za-z0-9]{30,}`,
  "Azure key": String.raw`(?<!\w)(?:AccountKey|SharedAccessKey)=[A-Za-z0-9+\/]{40,}`,
  "service token": String.raw`(?<![\w-])(?:${SERVICES.replaceAll(".", String.raw`\.`).replaceAll(" ", "|")})(?=[\w-]{0,19}\d)[\w-]{20,}`,
  JWT: String.raw`(?<![\w-])eyJ[\w-]{8,}\.(?:eyJ[\w-]{8,}\.[\w-]{8,}|[\w-]*(?:\.[\w-]{8,}){3})`,
} as const;

/** A text with a private key has one of them. */
export const KEY_SIGNS = ["PRIVATE KEY", "PuTTY-User"];

/** Those that need not look like a token, or have many lines. One that is cut has no end. */
const LONG_FORMS = {
  "private key": String.raw`-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[^]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)|PuTTY-User-Key-File-\d[^]*?(?:Private-MAC: ?\w*|$)`,
} as const;

export interface Forms {
  readonly names: readonly string[];
  /** One group for each name. */
  readonly pattern: RegExp;
}

const formsOf = (forms: readonly (readonly [name: string, form: string])[], allowed: ReadonlySet<string>): Forms => {
  const wanted = forms.filter(([name]) => !allowed.has(name));
  return {
    names: wanted.map(([name]) => name),
    pattern: wanted.length === 0 ? /(?!)/g : new RegExp(wanted.map(([, form]) => `(${form})`).join("|"), "g"),
  };
};

/** The known forms that stand on one line and look like a token. `allowed` are names of forms that are no secrets here. */
export const tokenForms = (allowed: ReadonlySet<string>): Forms => formsOf(Object.entries(FORMS), allowed);

/** All others, and those of the configuration, in which `*` stands for letters, digits and `_` or `-`. */
export const otherForms = (own: readonly string[], allowed: ReadonlySet<string>): Forms =>
  formsOf([...Object.entries(LONG_FORMS), ...own.map((form) => [form, patternOf(form)] as const)], allowed);

const patternOf = (form: string): string =>
  `(?<![\\w-])${form
    .split("*")
    .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`))
    .join("[\\w-]{1,200}")}`;

/** In the place of a password. One that a program fills in is none: `$PASSWORD`, `%s`, `<password>`. */
const CHOSEN = String.raw`(?!\$)(?:[^\s/@"'<>%{}*[\]]|%[0-9A-Fa-f]{2}){3,}`;
/** A digit early on: no word, and no name in a program. */
const TOKEN = String.raw`(?=[A-Za-z_-]{0,30}\d)[\w-]{20,}`;

/** Where a password stands in an address: `scheme://user:password@host`, `https://token@host`. */
export const PASSWORD = new RegExp(String.raw`(:\/\/(?:[^\s/:@"'<>]*:|(?=${TOKEN}@)))(${CHOSEN})(?=@[\w[])`, "g");

const HEADER = "[Aa]pi-[Kk]ey|(?:[Aa]uth|[Aa]ccess|[Vv]ault)-[Tt]oken|PRIVATE-TOKEN";
const SETTING =
  "_auth(?:Token)?|_password|aws_secret_access_key|aws_session_token|AWS_SECRET_ACCESS_KEY|AWS_SESSION_TOKEN|SecretAccessKey|SessionToken";
const QUERY =
  "access_token|api_?key|auth|client_secret|password|secret|sig|[Ss]ignature|token|X-Amz-Signature|X-Amz-Security-Token";
/** A variable that a program prints; what reads one, such as `env.API_KEY`, is no value. */
const VARIABLE = String.raw`_(?:TOKEN|SECRET|PASSWORD|(?:API|ACCESS|SECRET|PRIVATE)_KEY)=["']?(?![A-Za-z_]+\.[A-Za-z_])`;
const IS = String.raw`\\?["']?[ \t]{0,3}[:=][ \t]{0,3}\\?["']?`;

/** Where a program logs in: a header, the query of an address, a variable, a line of npm's or of AWS's settings. */
export const LOGIN = new RegExp(
  String.raw`((?:[Aa]uthorization|AUTHORIZATION)${IS}(?:[Bb]earer|[Bb]asic|[Tt]oken) |(?:${HEADER}|${SETTING})${IS}|${VARIABLE}|[?&](?:${QUERY})=)` +
    String.raw`((?=[A-Za-z_.~+/%-]{0,40}\d)[\w.~+/%=-]{16,})`,
  "g",
);
