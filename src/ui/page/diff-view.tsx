import { Fragment } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { type PatchFile, patchFiles, type PatchRow } from "../../domain/patch-files.ts";
import { printableLine } from "../../domain/printable.ts";
import { plural } from "../../format/run-text.ts";
import { DiffLine, FileHead } from "../parts/diff.tsx";
import { Windowed } from "./windowed.tsx";

/** A line of a file; the old number of a line that was removed. */
export interface LinePlace {
  readonly file: string;
  readonly line: number;
}

interface DiffProps {
  /** The patch. */
  readonly text: string;
  readonly label: string;
  /** Sends words about a line; undefined: nobody would read them. */
  readonly onComment?: ((place: LinePlace, text: string) => Promise<boolean>) | undefined;
}

type Shown = { readonly file: PatchFile; readonly row?: PatchRow };

/** A change, file by file, of which only what is in sight is drawn. A press on a line is a comment on it. */
export function DiffView({ text, label, onComment }: DiffProps) {
  const files = useMemo(() => patchFiles(text), [text]);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [about, setAbout] = useState<LinePlace | undefined>(undefined);
  const rows = useMemo(
    () =>
      files.flatMap((file): Shown[] => [
        { file },
        ...(closed.has(file.path) ? [] : file.rows.map((row) => ({ file, row }))),
      ]),
    [files, closed],
  );
  if (files.length === 0) return <p class="faint">The attempt changed nothing, or its change is not kept any more.</p>;
  const pick = (index: number): void => {
    const { file, row } = rows[index]!;
    if (row === undefined) setClosed(toggled(closed, file.path));
    else if (row.kind !== "hunk" && onComment !== undefined)
      setAbout({ file: file.path, line: row.kind === "removed" ? row.was : row.is });
  };
  return (
    <div class="diff-view">
      <div class="buttons">
        <span class="faint">{plural(files.length, "file")}</span>
        <button type="button" onClick={() => setClosed(new Set(closed.size > 0 ? [] : files.map(({ path }) => path)))}>
          {closed.size > 0 ? "Unfold all" : "Fold all"}
        </button>
        {onComment !== undefined && about === undefined && (
          <button type="button" onClick={() => setAbout({ file: files[0]!.path, line: 1 })}>
            Comment on a line…
          </button>
        )}
      </div>
      {about !== undefined && onComment !== undefined && (
        <CommentForm
          about={about}
          files={files.map(({ path }) => path)}
          onSend={onComment}
          onClose={() => setAbout(undefined)}
        />
      )}
      <Windowed
        class={onComment === undefined ? "lines" : "lines pickable"}
        label={label}
        count={rows.length}
        estimate={(index) => (rows[index]?.row === undefined ? 34 : 20)}
        item={(index) => <Row {...rows[index]!} isOpen={!closed.has(rows[index]!.file.path)} />}
        onPick={pick}
      />
    </div>
  );
}

const Row = ({ file, row, isOpen }: Shown & { readonly isOpen: boolean }) =>
  row === undefined ? (
    <div class="file-row">
      <button type="button" class="plain" aria-expanded={isOpen}>
        <span aria-hidden="true">{isOpen ? "▾" : "▸"}</span> <FileHead file={file} />
      </button>
    </div>
  ) : (
    <DiffLine row={row} />
  );

function toggled(set: ReadonlySet<string>, item: string): ReadonlySet<string> {
  const changed = new Set(set);
  if (!changed.delete(item)) changed.add(item);
  return changed;
}

interface FormProps {
  readonly about: LinePlace;
  readonly files: readonly string[];
  readonly onSend: NonNullable<DiffProps["onComment"]>;
  readonly onClose: () => void;
}

/** Words for the next attempt. What was not sent stays in the form. */
function CommentForm({ about, files, onSend, onClose }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [isBusy, setBusy] = useState(false);
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    const data = new FormData(form.current!);
    const [file, line, text] = ["file", "line", "text"].map((name) => (data.get(name) as string).trim());
    if (text === "" || isBusy) return;
    setBusy(true);
    if (await onSend({ file: file!, line: Number(line) }, text!)) onClose();
    else setBusy(false);
  };
  return (
    <form ref={form} class="comment" onSubmit={(event) => void send(event)}>
      {/* Another line gets other fields, and the words stay. What a person changes here is not drawn over. */}
      <Fragment key={`${about.file}:${about.line}`}>
        <label class="field">
          File
          <select name="file">
            {files.map((path) => (
              <option key={path} value={path} selected={path === about.file}>
                {printableLine(path)}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          Line
          <input name="line" type="number" min="1" required defaultValue={about.line} />
        </label>
      </Fragment>
      <label class="field words">
        What the next attempt should know
        <textarea name="text" rows={2} required dir="auto" ref={focusOn} />
      </label>
      <div class="buttons">
        <button type="submit" class="primary">
          {isBusy ? "Sending…" : "Send"}
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </form>
  );
}

/** Once, when it appears: a function that is new at each drawing would take the focus again and again. */
const focusOn = (field: HTMLElement | null): void => field?.focus();
