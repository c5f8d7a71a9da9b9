/** Files that agent CLIs take for instructions or settings, by their name in any folder. */
const FILES = [
  String.raw`claude(?:\.local)?\.md`,
  String.raw`agents?(?:\.override)?\.md`,
  String.raw`gemini\.md`,
  String.raw`qwen\.md`,
  String.raw`copilot-instructions\.md`,
  String.raw`\.(?:cursor|windsurf|cline|roo)rules`,
  String.raw`(?:crush|warp|replit)\.md`,
  String.raw`\.goosehints`,
  String.raw`\.augment-guidelines`,
  String.raw`\.rules`,
  String.raw`\.mcp\.json`,
  String.raw`opencode\.jsonc?`,
  String.raw`\.aider\.conf\.ya?ml`,
];

/** Folders of such files. */
const FOLDERS = [
  String.raw`\.(?:claude|codex|gemini|qwen|cursor|opencode|pi|agents|windsurf|copilot|kiro|junie|roo|amp|crush|augment|amazonq|kilocode|continue|trae|factory|openhands|qoder)`,
  String.raw`\.(?:clinerules|roorules)`,
  String.raw`\.github/(?:instructions|prompts|chatmodes|agents)`,
];

const PATTERN = new RegExp(`(?:^|/)(?:(?:${FILES.join("|")})$|(?:${FOLDERS.join("|")})(?:/|$))`, "i");

/** T-14: whether an agent that works in a tree may read this file as an instruction, whatever it is asked to do. */
export const isInstructionFile = (path: string): boolean => PATTERN.test(path);

/** The files that an instruction file includes by `@path`, as it writes them. */
export const includedBy = (text: string): string[] =>
  [...text.matchAll(/(?<![\w`])@([\w./-]*[\w-])/g)].map(([, path]) => path!);

/** The files that settings name as instructions, such as `"instructions": ["docs/*.md"]`; of a pattern its folder. */
export const namedBySettings = (path: string, text: string): string[] =>
  /\.(?:jsonc?|toml|ya?ml)$/i.test(path)
    ? [...text.matchAll(/(?<![\w./*-])[\w./*-]{1,200}\.(?:mdc?|txt)(?![\w.])/g)].map(([name]) =>
        name.replace(/(?:^|\/)[^/]*\*.*$/, ""),
      )
    : [];
