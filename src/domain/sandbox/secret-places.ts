import type { Environment } from "../environment.ts";
import type { HomePlace } from "./places.ts";

/** Places below the home folder in which people keep keys, logins and histories. `+`: a blank in a name. */
const SECRETS = `
.ssh .gnupg .pki .putty .step .password-store .vault-token .config/sops/age .config/age .local/share/keyrings .local/share/kwalletd
.config/op .config/1Password .1password .config/Bitwarden+CLI .config/keepassxc .lastpass .local/share/lpass
.aws .azure .kube .config/gcloud .oci .aliyun .bluemix .config/doctl .config/hcloud .config/scw .config/linode-cli .s3cfg .boto .mc
.config/heroku .config/netlify .local/share/com.vercel.cli .config/com.vercel.cli .fly .railway .wrangler .config/.wrangler
.config/configstore/firebase-tools.json .config/stripe .config/ngrok .ngrok2 .config/rclone .config/argocd .rancher
.docker/config.json .config/containers/auth.json .config/helm/registry .terraformrc .terraform.d/credentials.tfrc.json
.pulumi/credentials.json .databrickscfg .snowflake .snowsql .dbt/profiles.yml .kaggle .config/kaggle
.cache/huggingface/token .cache/huggingface/stored_tokens .huggingface/token .config/solana .ethereum .bitcoin .electrum
.netrc _netrc .git-credentials .config/git/credentials .config/gh .config/hub .config/glab-cli .config/tea .subversion/auth
.pypirc .config/pypoetry/auth.toml .cargo/credentials .cargo/credentials.toml .gem/credentials .jfrog
.pgpass .my.cnf .mylogin.cnf
.bash_history .bash_sessions .zsh_history .zsh_sessions .zhistory .histfile .history .sh_history .ksh_history
.local/share/fish/fish_history .local/share/atuin .config/nushell/history.txt .config/nushell/history.sqlite3
.python_history .node_repl_history .irb_history .psql_history .mysql_history .mariadb_history .sqlite_history
.rediscli_history .mongodb/mongosh .lesshst .viminfo
.mozilla .config/mozilla .librewolf .waterfox .zen .thunderbird .config/google-chrome .config/google-chrome-beta
.config/google-chrome-unstable .config/chromium .config/BraveSoftware .config/microsoft-edge .config/opera .config/vivaldi
.var/app snap/firefox snap/chromium snap/thunderbird snap/brave snap/opera
.config/Slack .config/discord .config/Signal .config/Element .local/share/TelegramDesktop .purple .irssi .weechat .config/weechat
.config/github-copilot .config/Code/User/globalStorage .config/Cursor/User/globalStorage .vscode-server/data/User/globalStorage
.Xauthority .ICEauthority
Library/Keychains Library/Cookies Library/Safari Library/Mail Library/Messages
`
  .trim()
  .split(/\s+/)
  .map((path) => path.replaceAll("+", " "));

const ON_MACOS = [
  "Google/Chrome",
  "Firefox",
  "BraveSoftware",
  "Microsoft Edge",
  "Arc",
  "Vivaldi",
  "Slack",
  "discord",
  "Signal",
  "Claude",
  "Code/User/globalStorage",
  "Cursor/User/globalStorage",
].map((name) => `Library/Application Support/${name}`);

/** Folders that a variable can name, and what is below the home folder otherwise. */
const FOLDERS: readonly (readonly [variable: string, otherwise: string])[] = [
  ["XDG_CONFIG_HOME", ".config"],
  ["XDG_DATA_HOME", ".local/share"],
  ["XDG_CACHE_HOME", ".cache"],
  ["CARGO_HOME", ".cargo"],
  ["HF_HOME", ".cache/huggingface"],
];

/** Variables that name a secret file or folder itself, or several. */
const NAMED = (
  "AWS_SHARED_CREDENTIALS_FILE AWS_CONFIG_FILE AZURE_CONFIG_DIR CLOUDSDK_CONFIG DOCKER_CONFIG GH_CONFIG_DIR GNUPGHOME " +
  "HISTFILE KUBECONFIG NETRC PASSWORD_STORE_DIR PGPASSFILE XAUTHORITY"
).split(" ");

/** Agents that no harness knows, by their programs: below the home folder, their logins and all that they keep. */
const OTHER_AGENTS: Readonly<Record<string, string>> = {
  amp: ".config/amp .local/share/amp",
  auggie: ".augment",
  cline: ".cline",
  crush: ".config/crush .local/share/crush",
  "cursor-agent": ".cursor .config/cursor",
  droid: ".factory",
  goose: ".config/goose .local/share/goose .local/state/goose",
  iflow: ".iflow",
  junie: ".junie",
  kilo: ".kilocode .config/kilo .local/share/kilo",
  kimi: ".kimi",
  "kiro-cli": ".kiro .local/share/kiro-cli",
  openhands: ".openhands",
  vibe: ".vibe",
  windsurf: ".codeium .windsurf",
};

/** The places of such an agent; of all without a name. */
export const otherAgent = (program?: string): readonly HomePlace[] =>
  Object.entries(OTHER_AGENTS)
    .filter(([name]) => program === undefined || name === program)
    .flatMap(([, places]) => places.split(" ").map((path) => homePlace(path)));

function homePlace(path: string): HomePlace {
  const folder = FOLDERS.find(([, otherwise]) => path.startsWith(`${otherwise}/`));
  if (folder === undefined) return { otherwise: path };
  const [variable, otherwise] = folder;
  return { variable, otherwise, below: path.slice(otherwise.length + 1) };
}

/** Where secrets may be: below each home folder, and where the environment says that they are. */
export function secretPaths(env: Environment, homes: readonly string[]): string[] {
  const all = [...SECRETS, ...ON_MACOS];
  const elsewhere = FOLDERS.flatMap(([variable, folder]) => {
    const below = all.filter((path) => path.startsWith(`${folder}/`)).map((path) => path.slice(folder.length));
    return absolute(env[variable]).flatMap((named) => below.map((path) => `${named}${path}`));
  });
  const named = NAMED.flatMap((variable) => (env[variable] ?? "").split(":").flatMap((path) => absolute(path)));
  return [...homes.flatMap((home) => all.map((path) => `${home}/${path}`)), ...elsewhere, ...named];
}

/** `HISTFILE=/dev/null` keeps nothing. */
const absolute = (path: string | undefined): string[] => (/^\/(?!dev\/|$)/.test(path ?? "") ? [path!] : []);

/** Variables that name sockets of programs which do on request what the sandbox does not allow. */
export const SERVICE_VARIABLES = ["SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", "DBUS_SESSION_BUS_ADDRESS"];
const ENGINE_VARIABLES = ["DOCKER_HOST", "CONTAINER_HOST"];

/** The sockets that they name: `/path`, `unix:///path`, `unix:path=/path,guid=…`. */
export const namedSockets = (env: Environment): string[] =>
  [...SERVICE_VARIABLES, ...ENGINE_VARIABLES].flatMap((variable) => {
    const [path] = (env[variable] ?? "").replace(/^unix:(?:path=|\/\/(?=\/))?/, "").split(/[:,;]/);
    return absolute(path);
  });
