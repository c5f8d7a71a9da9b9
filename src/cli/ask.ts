import { confirm as ask, type ConfirmOptions, isCancel, multiselect, select, text } from "@clack/prompts";
import { printable, printableLine } from "../domain/printable.ts";
import type { Choice, Questions, TextQuestion } from "./io.ts";

type Output = NonNullable<ConfirmOptions["output"]>;

/** Asks the person at the terminal. Ctrl-C and an aborted `signal` count as no answer. */
export const questionsAt = (output: Output): Questions => ({
  confirm: async (question, signal) => {
    const answer = await ask({ message: printable(question), output, ...(signal !== undefined && { signal }) });
    return !isCancel(answer) && answer;
  },
  choose: async (question, options, signal) => {
    const answer = await select({
      message: printable(question),
      options: options.map(shown),
      output,
      ...(signal !== undefined && { signal }),
    });
    return isCancel(answer) ? undefined : answer;
  },
  chooseMany: async (question, options) => {
    const answer = await multiselect({
      message: printable(question),
      options: options.map(shown),
      initialValues: options.map(({ value }) => value),
      required: false,
      output,
    });
    return isCancel(answer) ? undefined : answer;
  },
  askText: async (question, { initial, example, fault }: TextQuestion = {}) => {
    const answer = await text({
      message: printable(question),
      output,
      validate: (typed) => fault?.(typed ?? ""),
      ...(initial !== undefined && { initialValue: initial }),
      ...(example !== undefined && { placeholder: example }),
    });
    // Nothing typed is undefined there, and a text here.
    return isCancel(answer) ? undefined : (answer ?? "");
  },
});

const shown = ({ value, label }: Choice): Choice => ({ value, label: printableLine(label) });
