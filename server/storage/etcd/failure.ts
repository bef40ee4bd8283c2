/** What a failed call to etcd means to whoever asked. */
export type FailureKind =
  /** etcd has answered, and means it: nothing was done, and asking again would bring the same. */
  | 'refused'
  /** Nothing was done; another member, or the same one later, may do it. */
  | 'unavailable'
  /** The revision asked for is gone. */
  | 'compacted'
  /** The member that was asked has not got there yet. */
  | 'future'
  /** It may have been done, or may still be. */
  | 'unknown';

/** A failed call. The message is etcd's own, where it has sent one. */
export class EtcdError extends Error {
  override readonly name = 'EtcdError';

  constructor(
    readonly kind: FailureKind,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** As `isPassing` has it. */
  get passing(): boolean {
    return this.kind !== 'refused';
  }
}

/** gRPC's status codes, as far as they are told apart. */
const code = {
  invalidArgument: 3,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  outOfRange: 11,
  unavailable: 14,
  unauthenticated: 16,
};

const tooLarge = 'etcdserver: request is too large';

/** What is told by texts, in the order in which they are looked for. Texts: etcd's errors (`rpctypes`), and those of the gRPC library. */
const byText: readonly (readonly [text: string, kind: FailureKind])[] = [
  ['required revision has been compacted', 'compacted'],
  ['required revision is a future revision', 'future'],
  ['request is too large', 'refused'],
  ['larger than max', 'refused'],
  ['database space exceeded', 'refused'],
  ['too many requests', 'unavailable'],
  // Asked for before anything is proposed: `hasleader`.
  ['etcdserver: no leader', 'unavailable'],
  ['No connection established', 'unavailable'],
  ['Name resolution failed', 'unavailable'],
  ['ECONNREFUSED', 'unavailable'],
];

const byCode: Readonly<Record<number, FailureKind>> = {
  [code.invalidArgument]: 'refused',
  [code.notFound]: 'refused',
  [code.permissionDenied]: 'refused',
  [code.failedPrecondition]: 'refused',
  [code.unauthenticated]: 'refused',
};

/** The failure behind an error of the gRPC library. */
export function failureOf(error: unknown): EtcdError {
  if (error instanceof EtcdError) return error;
  const {
    code: number = 2,
    details,
    message = String(error),
  } = error as { readonly code?: number; readonly details?: string; readonly message?: string };
  const text = details ?? message;
  const kind = byText.find(([part]) => text.includes(part))?.[1] ?? byCode[number] ?? 'unknown';
  // Two limits, of etcd and of its gRPC server, that say the same.
  return new EtcdError(kind, text.includes('larger than max') ? tooLarge : text, { cause: error });
}
