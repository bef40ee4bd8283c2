export interface User {
  readonly name: string;
  /** Distinguishes users of one name, if the authenticator does; else empty. */
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** The identity of the server's own writes. */
export const systemUser: User = { name: 'system:apiserver', uid: '', groups: ['system:masters', 'system:authenticated'], extra: {} };
