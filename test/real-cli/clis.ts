import * as harnesses from "../../src/harness/index.ts";
import type { Harness } from "../../src/harness/harness.ts";
import type { Cli } from "./cli.ts";
import { anthropic, anthropicError, google, googleError, openai, openaiError } from "./server-words.ts";
import type { Failure } from "./wire.ts";

const none = (): Readonly<Record<string, unknown>> => ({});

const tested = ({ facts }: Harness): Pick<Cli, "name" | "title" | "package" | "version" | "help"> => ({
  name: facts.program!,
  title: facts.title,
  package: facts.package!,
  version: facts.testedVersion!,
  help: facts.login!,
});

const seconds = (ms: number): number => Math.floor(ms / 1000);

export const claude: Cli = {
  ...tested(harnesses.claude),
  ...anthropic,
  model: "claude-sonnet-4-5",
  env: ({ url }) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "test",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  }),
  // With a key of the API it is never told when a limit ends.
  subscription: { ANTHROPIC_API_KEY: "", CLAUDE_CODE_OAUTH_TOKEN: "test" },
  files: none,
  writes: (path, content) => ({ name: "Write", input: { file_path: path, content } }),
  runs: (command) => ({ name: "Bash", input: { command, description: "Run it" } }),
  limitMs: 6000,
  limits: (resetsAtMs) => ({
    status: 429,
    headers: {
      "anthropic-ratelimit-unified-status": "rejected",
      "anthropic-ratelimit-unified-reset": String(seconds(resetsAtMs)),
      "anthropic-ratelimit-unified-representative-claim": "five_hour",
      "anthropic-ratelimit-unified-5h-status": "rejected",
      "anthropic-ratelimit-unified-5h-reset": String(seconds(resetsAtMs)),
      "anthropic-ratelimit-unified-5h-utilization": "1",
    },
    body: anthropicError("rate_limit_error", "This request would exceed your account's rate limit."),
  }),
  loggedOut: { env: { ANTHROPIC_API_KEY: "" } },
};

const limitedFor = (resetsAtMs: number): Failure => ({
  status: 429,
  headers: { "retry-after": String(Math.ceil((resetsAtMs - Date.now()) / 1000)) },
  body: openaiError("rate_limit_exceeded", "Rate limit reached"),
});

export const codex: Cli = {
  ...tested(harnesses.codex),
  ...openai,
  model: "fake-model",
  priced: "gpt-5.5",
  env: () => ({ FAKE_KEY: "test" }),
  loggedOut: { env: { FAKE_KEY: "" } },
  files: ({ url }) => ({
    ".codex/config.toml": `model_provider = "fake"
[analytics]
enabled = false
[feedback]
enabled = false
[model_providers.fake]
name = "Fake"
base_url = "${url}/v1"
env_key = "FAKE_KEY"
wire_api = "responses"
`,
  }),
  // An unknown model is given a shell and nothing else.
  writes: (path, text) => ({ name: "exec_command", input: { cmd: `printf %s '${text}' > '${path}'` } }),
  runs: (command) => ({ name: "exec_command", input: { cmd: command, yield_time_ms: 30_000 } }),
  limitMs: 6000,
  limits: (resetsAtMs) => ({
    status: 429,
    headers: {
      "x-codex-primary-used-percent": "100",
      "x-codex-primary-window-minutes": "300",
      "x-codex-primary-reset-at": String(seconds(resetsAtMs)),
    },
    body: {
      error: {
        type: "usage_limit_reached",
        message: "The usage limit has been reached",
        plan_type: "pro",
        resets_at: seconds(resetsAtMs),
      },
    },
  }),
};

/** A model that another maker's server has, as Pi and OpenCode call it. */
const OTHERS_MODEL = "fake/fake-model";
/** One without a price, and one with a price of the list, which neither of the two knows. */
const NAMES = ["fake-model", "gpt-5.5"];
const WINDOW = 2_000_000;

const pi: Cli = {
  ...tested(harnesses.pi),
  ...openai,
  node: 22,
  model: OTHERS_MODEL,
  priced: "fake/gpt-5.5",
  env: () => ({ PI_OFFLINE: "1", PI_TELEMETRY: "0" }),
  loggedOut: { files: {}, model: "anthropic/claude-sonnet-4-5" },
  files: ({ url }) => ({
    ".pi/agent/models.json": {
      providers: {
        fake: {
          baseUrl: `${url}/v1`,
          api: "openai-completions",
          apiKey: "test",
          models: NAMES.map((id) => ({ id, input: ["text"], contextWindow: WINDOW, maxTokens: 8192 })),
        },
      },
    },
  }),
  writes: (path, content) => ({ name: "write", input: { path, content } }),
  runs: (command) => ({ name: "bash", input: { command } }),
  limitMs: 20_000,
  limits: (resetsAtMs) => ({
    status: 429,
    body: openaiError("usage_limit_reached", "The usage limit has been reached", { resets_at: seconds(resetsAtMs) }),
  }),
};

export const opencode: Cli = {
  ...tested(harnesses.opencode),
  ...openai,
  loggedOut: { files: {}, model: "anthropic/claude-sonnet-4-5" },
  model: OTHERS_MODEL,
  priced: "fake/gpt-5.5",
  env: () => ({
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    // It would fetch a package for its plugins.
    npm_config_offline: "true",
  }),
  files: ({ url }) => ({
    ".config/opencode/opencode.json": {
      share: "disabled",
      enabled_providers: ["fake"],
      provider: {
        fake: {
          npm: "@ai-sdk/openai-compatible",
          options: { baseURL: `${url}/v1`, apiKey: "test" },
          models: Object.fromEntries(
            NAMES.map((id) => [id, { tool_call: true, limit: { context: WINDOW, output: 8192 } }]),
          ),
        },
      },
    },
  }),
  writes: (path, content) => ({ name: "write", input: { filePath: path, content } }),
  runs: (command) => ({ name: "bash", input: { command, description: "Run it" } }),
  waitsItself: true,
  limitMs: 4000,
  limits: limitedFor,
};

export const gemini: Cli = {
  ...tested(harnesses.gemini),
  ...google,
  model: "gemini-2.5-pro",
  env: ({ url }) => ({ GEMINI_API_KEY: "test", GOOGLE_GEMINI_BASE_URL: url, GEMINI_TELEMETRY_ENABLED: "false" }),
  files: () => ({
    ".gemini/settings.json": {
      security: { auth: { selectedType: "gemini-api-key" } },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
    },
  }),
  writes: (path, content) => ({ name: "write_file", input: { file_path: path, content } }),
  runs: (command) => ({ name: "run_shell_command", input: { command, description: "Run it" } }),
  waitsItself: true,
  limitMs: 4000,
  limits: (resetsAtMs) => ({
    status: 429,
    body: googleError(429, "RESOURCE_EXHAUSTED", {
      message: "You exceeded your current quota.",
      details: [
        {
          "@type": "type.googleapis.com/google.rpc.RetryInfo",
          retryDelay: `${Math.ceil((resetsAtMs - Date.now()) / 1000)}s`,
        },
      ],
    }),
  }),
  loggedOut: { env: { GEMINI_API_KEY: "" } },
};

export const copilot: Cli = {
  ...tested(harnesses.copilot),
  ...openai,
  loggedOut: {
    env: { COPILOT_OFFLINE: "", COPILOT_PROVIDER_BASE_URL: "", COPILOT_PROVIDER_API_KEY: "", COPILOT_MODEL: "" },
    elsewhere: ["api.github.com:443"],
  },
  model: "fake-model",
  priced: "gpt-5.5",
  env: ({ url }) => ({
    COPILOT_OFFLINE: "true",
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    COPILOT_PROVIDER_API_KEY: "test",
    COPILOT_MODEL: "fake-model",
    COPILOT_PROVIDER_MAX_PROMPT_TOKENS: String(WINDOW),
  }),
  files: none,
  writes: (path, text) => ({ name: "create", input: { path, file_text: text } }),
  runs: (command) => ({ name: "bash", input: { command, description: "Run it" } }),
  waitsItself: true,
  limitMs: 4000,
  limits: limitedFor,
};

export const qwen: Cli = {
  ...tested(harnesses.qwen),
  ...openai,
  loggedOut: { env: { OPENAI_API_KEY: "" } },
  node: 22,
  model: "fake-model",
  priced: "gpt-5.5",
  env: ({ url }) => ({ OPENAI_API_KEY: "test", OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: "fake-model" }),
  files: () => ({
    ".qwen/settings.json": {
      security: { auth: { selectedType: "openai" } },
      general: { enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      // After an answer it would ask for more, with tools.
      memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false },
      model: { generationConfig: { contextWindowSize: WINDOW } },
    },
  }),
  writes: (path, content) => ({ name: "write_file", input: { file_path: path, content } }),
  runs: (command) => ({ name: "run_shell_command", input: { command, description: "Run it", is_background: false } }),
  waitsItself: true,
  limitMs: 4000,
  limits: limitedFor,
};

/** In the order of the table; the first three are quick. */
export const CLIS: readonly Cli[] = [claude, codex, pi, opencode, gemini, copilot, qwen];

/** Those that work at once in one run, by the path of the requests that they make. */
export const AT_ONCE = { "/v1/messages": claude, "/v1/responses": codex, "/v1/chat/completions": pi } as const;
