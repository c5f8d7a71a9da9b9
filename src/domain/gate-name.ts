/** A name for a gate that was only given as a command: `make check` is `make-check`, the second one `make-check-2`. */
export function gateName(command: string, taken: readonly string[]): string {
  const words = command.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[-.]+|[-.]+$/g, "");
  const name = words.slice(0, MAX_LENGTH).replace(/[-.]+$/, "") || "check";
  let free = name;
  for (let number = 2; taken.includes(free); number++) free = `${name}-${number}`;
  return free;
}

const MAX_LENGTH = 40;
