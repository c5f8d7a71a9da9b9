/** As `push(...more)`, for as many as a foreign text may have: a call with a hundred thousand arguments overflows the stack. */
export function append<Item>(to: Item[], more: Iterable<Item>): void {
  for (const item of more) to.push(item);
}
