/** A terminal of so many columns and rows, drawn with letters of this size. */
const COLUMNS = 100;
const ROWS = 26;
const LETTER = 7.8;
const LINE = 19;
const MARGIN = 20;
const BAR = 36;

const WIDTH = COLUMNS * LETTER + 2 * MARGIN;
const HEIGHT = BAR + ROWS * LINE + MARGIN;
const HOLD_MS = 9000;

/** What a line is: the colour that it has at a terminal, and how long it stands before the next. The first that fits. */
const LOOKS: readonly (readonly [pattern: RegExp, look: string, pauseMs: number])[] = [
  [/^\$ /, "strong", 900],
  [/^Iteration \d/, "strong", 500],
  [/^Complete and verified/, "", 1200],
  [/^Failing before/, "attention", 700],
  [/^ {2}Gate .*: ok/, "good", 500],
  [/^ {2}Gate .*FAILED/, "bad", 600],
  [/^ {2}They pass, too/, "good", 250],
  [/^ {2}Accepted/, "good", 900],
  [/^ {2}Rejected/, "bad", 2200],
  [/^ {2}The agent claims/, "", 900],
  [/^ {2}Outcome: (?:verified|proven)/, "good", 250],
  [/^ {2}> /, "faint", 500],
  [/^ {2}(?:Tasks|Iterations|Cost|Commits) /, "", 150],
  [/^(?:Run|Scope|At most|These commands)/, "faint", 200],
  [/^ {2}test {2}/, "faint", 500],
  [/^ {2}\S/, "", 500],
];
const PLAIN = ["", 40] as const;

const STYLE = `text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;fill:#d0d7de;white-space:pre}
.strong{fill:#fff;font-weight:700}.good{fill:#56d364}.bad{fill:#ff7b72}.attention{fill:#e3b341}.faint{fill:#8b949e}
@media (prefers-reduced-motion:reduce){.view,.later{animation:none!important}}`;

interface Row {
  readonly text: string;
  readonly look: string;
  readonly pauseMs: number;
}

/** A recorded terminal as a picture that plays what was printed, line by line, without end. Where nothing may move, its end. */
export function demoPicture(recording: string): string {
  const rows = recording.trimEnd().split("\n").flatMap(rowsOf);
  const lines = rows.map(({ text, look }, index) => lineAt(text, look, index));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="ralphctl demo in a terminal">
<style>${STYLE}
${motion(rows)}</style>
<rect width="${WIDTH}" height="${HEIGHT}" rx="9" fill="#0d1117" stroke="#30363d"/>
<circle cx="20" cy="18" r="6" fill="#ff5f57"/><circle cx="40" cy="18" r="6" fill="#febc2e"/><circle cx="60" cy="18" r="6" fill="#28c840"/>
<text class="faint" x="${WIDTH / 2}" y="22" text-anchor="middle">ralphctl demo</text>
<svg x="${MARGIN}" y="${BAR}" width="${WIDTH - 2 * MARGIN}" height="${ROWS * LINE}"><g class="view" xml:space="preserve" transform="translate(0 ${-scrolled(rows.length) * LINE})">
${lines.filter(Boolean).join("\n")}
<rect class="later" y="${rows.length * LINE}" width="100%" height="${rows.length * LINE}" fill="#0d1117"/>
</g></svg>
</svg>
`;
}

const looksOf = (line: string) => LOOKS.find(([pattern]) => pattern.test(line)) ?? ([undefined, ...PLAIN] as const);

/** The name of the look that a line has in the picture; empty: none. */
export const lookOf = (line: string): string => looksOf(line)[1];

/** A line that is too long goes on in the next row, a little to the right, from a word on where there is one. */
function rowsOf(line: string): Row[] {
  const [, look, pauseMs] = looksOf(line);
  const indent = `${/^ */.exec(line)![0]}  `;
  const room = COLUMNS - indent.length;
  const pieces = line.match(new RegExp(`.{1,${room}}(?:\\s|$)|.{${room}}`, "gu")) ?? [""];
  return pieces.map((text, index) => ({
    text: index === 0 ? text : `${indent}${text}`,
    look,
    pauseMs: index === pieces.length - 1 ? pauseMs : 0,
  }));
}

/** How many rows have left the screen at its top when so many were printed. */
const scrolled = (printed: number): number => Math.max(0, printed - ROWS);

/** Indentation is a place and not spaces, and the width is given: so it fits whatever font there is. */
function lineAt(text: string, look: string, index: number): string {
  const words = text.trimStart();
  if (words === "") return "";
  const x = round((text.length - words.length) * LETTER);
  const width = round(words.trimEnd().length * LETTER);
  const looks = look === "" ? "" : ` class="${look}"`;
  return `<text${looks} x="${x}" y="${index * LINE + 14}" textLength="${width}">${escaped(words.trimEnd())}</text>`;
}

/** Rows appear from beneath a cover that moves down, while the view moves up once the screen is full. */
function motion(rows: readonly Row[]): string {
  const totalMs = rows.reduce((sum, { pauseMs }) => sum + pauseMs, HOLD_MS);
  const covers: string[] = [];
  const views: string[] = [];
  let at = 0;
  rows.forEach(({ pauseMs }, index) => {
    if (pauseMs === 0) return;
    const percent = round((at / totalMs) * 100);
    covers.push(`${percent}%{transform:translateY(${(index + 1 - rows.length) * LINE}px)}`);
    views.push(`${percent}%{transform:translateY(${-scrolled(index + 1) * LINE}px)}`);
    at += pauseMs;
  });
  const time = `${round(totalMs / 1000)}s step-end infinite`;
  return `.later{animation:later ${time}}.view{animation:view ${time}}
@keyframes later{${covers.join("")}}
@keyframes view{${views.join("")}}`;
}

const round = (value: number): number => Math.round(value * 100) / 100;

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
