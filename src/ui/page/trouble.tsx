import type { ComponentChildren } from "preact";
import type { ApiError } from "./client.ts";
import { refreshAll, type Loaded } from "./loaded.ts";

/** What was loaded; until then a sentence, and if it cannot be had, why. */
export function Shown<Value>({
  of: { value, error },
  what,
  children,
}: {
  readonly of: Loaded<Value>;
  readonly what: string;
  readonly children: (value: Value) => ComponentChildren;
}) {
  if (value !== undefined) return <>{children(value)}</>;
  if (error !== undefined) return <Trouble error={error} />;
  return <p class="faint">Reading {what}…</p>;
}

export const Trouble = ({ error }: { readonly error: ApiError }) => (
  <div class="empty">
    <p>{error.message}</p>
    {error.hint !== "" && <p class="faint">{error.hint}</p>}
    <button type="button" onClick={refreshAll}>
      Try again
    </button>
  </div>
);
