import type { PatchFile, PatchRow } from "../../domain/patch-files.ts";
import { printable, printableLine } from "../../domain/printable.ts";
import { formatNumber, plural } from "../../format/run-text.ts";

/** `renamed from x, binary`: what happened to a file beside its lines. */
export function changeWords({ change, from, mode, isBinary }: Omit<PatchFile, "rows">): string {
  const words = [
    ...(change === "changed" ? [] : change === "renamed" ? [`renamed from ${printableLine(from ?? "?")}`] : [change]),
    ...(isBinary ? ["binary, not shown"] : []),
    ...(mode === undefined ? [] : [mode.endsWith("755") ? "now executable" : `now of mode ${mode}`]),
  ];
  return words.join(", ");
}

/** `+12 -4`. */
export const LineCounts = ({ added, removed }: { added: number; removed: number }) => (
  <span class="number">
    <span class="good">+{formatNumber(added)}</span> <span class="bad">-{formatNumber(removed)}</span>
  </span>
);

/** The name of a file in a list of changes, with what happened to it. */
export function FileHead({ file }: { file: Omit<PatchFile, "rows"> }) {
  const words = changeWords(file);
  return (
    <>
      <bdi>{printableLine(file.path)}</bdi> {!file.isBinary && <LineCounts {...file} />}
      {words !== "" && <span class="faint"> {words}</span>}
    </>
  );
}

/** Longer lines are no text that a person reads. */
const LONGEST = 2000;

function cut(text: string): string {
  const whole = printable(text);
  if (whole.length <= LONGEST) return whole;
  return `${whole.slice(0, LONGEST).replace(/[\uD800-\uDBFF]$/, "")}… ${plural(whole.length - LONGEST, "more character")}`;
}

/** One line of a change, with its number in the old and in the new file. */
export const DiffLine = ({ row }: { row: PatchRow }) => (
  <div class={row.kind}>
    <b>{row.kind === "hunk" ? "" : row.was}</b>
    <b>{row.kind === "hunk" || row.kind === "removed" ? "" : row.is}</b>
    <code>{row.kind === "hunk" ? `… ${cut(row.text)}`.trimEnd() : cut(row.text)}</code>
  </div>
);

/** A file of a change, folded. `more`: lines of it that are not here, and where they are. */
export const DiffFile = ({ file, more }: { file: PatchFile; more?: string | undefined }) => (
  <details>
    <summary>
      <FileHead file={file} />
    </summary>
    {file.rows.length > 0 && (
      <div class="lines">
        {file.rows.map((row) => (
          <DiffLine row={row} />
        ))}
      </div>
    )}
    {more !== undefined && <p class="faint">{more}</p>}
  </details>
);
