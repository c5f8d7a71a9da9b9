/** T-03: a change of a session that a commit should not take, or cannot take. */
export interface Uncommittable {
  readonly path: string;
  readonly kind: UncommittableKind;
  /** As the end of a sentence about the path: `it is larger than 5MB`. */
  readonly why: string;
  /** False: a person allowed it, or it is harmless. It is only named. */
  readonly rejects: boolean;
}

export type UncommittableKind =
  | "ignored"
  /** A repository inside that is no submodule, or loose files inside a submodule. */
  | "nested"
  /** The pointer of a submodule. */
  | "pointer"
  | "large"
  | "secret"
  /** A link that leads out of the workspace. */
  | "link"
  | "conflict";
