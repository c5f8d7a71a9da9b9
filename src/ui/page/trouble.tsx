import type { ComponentChildren } from "preact";
import { type ApiError, mayPass } from "./client.ts";
import { refreshAll, type Loaded } from "./loaded.ts";

/** What was loaded; until then a sentence. If it cannot be had, or not again, why. */
export function Shown<Value>({
  of: { value, error },
  what,
  children,
}: {
  readonly of: Loaded<Value>;
  readonly what: string;
  readonly children: (value: Value) => ComponentChildren;
}) {
  if (value !== undefined) {
    return (
      <>
        <MaybeOld of={{ value, error }} />
        {children(value)}
      </>
    );
  }
  if (error?.status === 0) return <p class="faint">Not read yet: the server does not answer.</p>;
  if (error !== undefined) return <Trouble error={error} />;
  return <p class="faint">Reading {what}…</p>;
}

/** Says so if what is shown could not be read again. A server that is away is told of above. */
export const MaybeOld = ({ of: { value, error } }: { readonly of: Loaded<unknown> }) =>
  value === undefined || error === undefined || error.status === 0 ? null : (
    <div class="banner bad" role="alert">
      <p>
        What you see may be old: {error.message} {error.hint !== "" && <span class="faint">{error.hint}</span>}
      </p>
      <button type="button" onClick={refreshAll}>
        Try again
      </button>
    </div>
  );

/** Why something cannot be shown. */
export const Trouble = ({ error }: { readonly error: ApiError }) => (
  <div class="empty">
    <p>{error.message}</p>
    {error.hint !== "" && <p class="faint">{error.hint}</p>}
    {mayPass(error) && (
      <button type="button" onClick={refreshAll}>
        Try again
      </button>
    )}
  </div>
);
