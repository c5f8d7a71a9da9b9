/**
 * What was written and not sent, by what it is about: neither going elsewhere nor a server that is gone loses it, nor a
 * phone that takes the tab from memory while one looks at something else.
 */
const nameOf = (key: string): string => `ralphctl-draft ${key}`;

function keep(key: string, text: string): void {
  try {
    if (text === "") sessionStorage.removeItem(nameOf(key));
    else sessionStorage.setItem(nameOf(key), text);
  } catch {
    // The browser has no more room for it.
  }
}

/** The properties of a field that keeps its words. */
export const keptIn = (key: string) => ({
  defaultValue: sessionStorage.getItem(nameOf(key)) ?? "",
  onInput: ({ currentTarget }: { readonly currentTarget: HTMLTextAreaElement }): void => keep(key, currentTarget.value),
});

/** They were sent. */
export const forgetDraft = (key: string): void => keep(key, "");
