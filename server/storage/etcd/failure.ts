/** The meaning of a failed call for its caller. */
export type FailureKind =
  /** Definite and permanent. */
  | 'refused'
  /** Nothing was done; a retry may work. */
  | 'unavailable'
  /** The requested revision is gone. */
  | 'compacted'
  /** The member has not reached the revision yet. */
  | 'future'
  | 'unknown';

/** A failed call, with etcd's own message if it sent one. */
export class EtcdError extends Error {
  override readonly name = 'EtcdError';

  constructor(
    readonly kind: FailureKind,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** Serves `isPassing`. */
  get passing(): boolean {
    return this.kind !== 'refused';
  }
}

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

const byText: readonly (readonly [text: string, kind: FailureKind])[] = [
  ['required revision has been compacted', 'compacted'],
  ['required revision is a future revision', 'future'],
  ['request is too large', 'refused'],
  ['larger than max', 'refused'],
  ['database space exceeded', 'refused'],
  ['too many requests', 'unavailable'],
  // Checked before anything is proposed: `hasleader`.
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

/** Converts an error of the gRPC library. */
export function failureOf(error: unknown): EtcdError {
  if (error instanceof EtcdError) return error;
  const {
    code: number = 2,
    details,
    message = String(error),
  } = error as { readonly code?: number; readonly details?: string; readonly message?: string };
  const text = details ?? message;
  const kind = byText.find(([part]) => text.includes(part))?.[1] ?? byCode[number] ?? 'unknown';
  return new EtcdError(kind, text.includes('larger than max') ? tooLarge : text, { cause: error });
}
