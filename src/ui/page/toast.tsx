import { signal } from "@preact/signals";
import { ApiError } from "./client.ts";

interface Said {
  readonly text: string;
  readonly hint: string;
  readonly isError: boolean;
}

const said = signal<Said | undefined>(undefined);
const LONG_MS = 8000;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Says a sentence at the foot of the page; one about trouble stays until it is read. */
export function say(text: string, { hint = "", isError = false }: Partial<Omit<Said, "text">> = {}): void {
  clearTimeout(timer);
  said.value = { text, hint, isError };
  if (!isError) timer = setTimeout(hush, LONG_MS);
}

export const hush = (): void => {
  said.value = undefined;
};

export function sayTrouble(error: unknown): void {
  const hint = error instanceof ApiError ? error.hint : "";
  say(error instanceof Error ? error.message : String(error), { hint, isError: true });
}

/** Does it, and says what the server said. Resolves with whether it went well. */
export async function attemptTo(action: () => Promise<string>): Promise<boolean> {
  try {
    say(await action());
    return true;
  } catch (error) {
    sayTrouble(error);
    return false;
  }
}

export function Toast() {
  const now = said.value;
  return (
    <div class="toasts">
      <div role="status">{now !== undefined && !now.isError && <Words {...now} />}</div>
      <div role="alert">{now?.isError && <Words {...now} />}</div>
    </div>
  );
}

const Words = ({ text, hint, isError }: Said) => (
  <div class={isError ? "toast bad" : "toast"}>
    <p>
      {text}
      {hint !== "" && <span class="hint"> {hint}</span>}
    </p>
    <button type="button" class="plain" onClick={hush} aria-label="Hide this message">
      ×
    </button>
  </div>
);
