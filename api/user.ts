/** Who asks, as authentication found out. */
export interface User {
  readonly name: string;
  /** Tells two users of one name apart, where the way of authentication knows; else empty. */
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** As whom the server itself writes. */
export const systemUser: User = { name: 'system:apiserver', uid: '', groups: ['system:masters', 'system:authenticated'], extra: {} };
