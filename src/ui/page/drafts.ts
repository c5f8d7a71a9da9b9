/** What was written and not sent, by what it is about: neither going elsewhere nor a server that is gone loses it. */
const drafts = new Map<string, string>();

/** The properties of a field that keeps its words. */
export const keptIn = (key: string) => ({
  defaultValue: drafts.get(key) ?? "",
  onInput: ({ currentTarget }: { readonly currentTarget: HTMLTextAreaElement }): void =>
    void drafts.set(key, currentTarget.value),
});

/** They were sent. */
export const forgetDraft = (key: string): void => void drafts.delete(key);
