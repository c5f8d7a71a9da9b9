/** A copy with other parts. A spread would copy the value that a getter, such as `stop`, has at the moment. */
export function varied<Deps extends object, Own extends object>(deps: Deps, own: Own): Omit<Deps, keyof Own> & Own {
  const parts = { ...Object.getOwnPropertyDescriptors(deps), ...Object.getOwnPropertyDescriptors(own) };
  return Object.defineProperties({}, parts) as Omit<Deps, keyof Own> & Own;
}

/** The same without events. */
export const quietly = <Deps extends object>(deps: Deps) => varied(deps, { emit: () => undefined });
