import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { forgetDraft, keptIn } from "./drafts.ts";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** In front of the page, with the browser's own care of focus and Esc. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const own = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement;
    own.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog ref={own} aria-labelledby="dialog-title" onClose={onClose}>
      <h2 id="dialog-title">{title}</h2>
      {children}
    </dialog>
  );
}

interface AskProps {
  readonly title: string;
  readonly text: string;
  /** What the button says. */
  readonly yes: string;
  readonly isDangerous?: boolean;
  /** A text that goes with it; undefined: none is asked for. */
  readonly label?: string;
  readonly isTextNeeded?: boolean;
  /** What the text is about: one that could not be sent is there again. */
  readonly about?: string;
  /** Resolves with whether it was done. */
  readonly onYes: (text: string) => Promise<boolean>;
  readonly onClose: () => void;
}

/** Asks before something is done, or for the words that go with it. */
export function Ask({ title, text, yes, isDangerous, label, isTextNeeded, about, onYes, onClose }: AskProps) {
  const words = useRef<HTMLTextAreaElement>(null);
  const key = about ?? title;
  const send = async (event?: Event): Promise<void> => {
    event?.preventDefault();
    const written = words.current?.value.trim() ?? "";
    if (isTextNeeded && written === "") return words.current?.focus();
    const done = onYes(written);
    onClose();
    if (await done) forgetDraft(key);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={(event) => void send(event)}>
        <p>{text}</p>
        {label !== undefined && (
          <label class="field">
            {label}
            <textarea
              ref={words}
              rows={4}
              dir="auto"
              required={isTextNeeded}
              {...keptIn(key)}
              onKeyDown={(event) => sendOnEnter(event, () => void send())}
            />
          </label>
        )}
        <div class="buttons">
          <button type="submit" class={isDangerous ? "danger" : "primary"}>
            {yes}
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Ctrl+Enter, or Cmd+Enter: a question may need several lines. */
export function sendOnEnter(event: KeyboardEvent, send: () => void): void {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  send();
}
