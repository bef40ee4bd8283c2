/** Which way a value goes, in the reference's words. */
export type Way = 'to_storage' | 'from_storage';

/** A key of a service, by the name that the service has for it. */
export interface ServiceKey {
  readonly service: string;
  readonly keyId: string;
}

/** What is counted of values that are kept encrypted, and of the services that keep their keys. */
export interface EncryptionCounts {
  /** A value was encrypted or decrypted; `prefix` is what such values begin with. `seconds` is null where it could not be done. */
  transformed(way: Way, value: { readonly prefix: string; readonly status: string }, seconds: number | null): void;
  /** A key for values was made, which took so long; null where there is none. */
  keyMade(seconds: number | null): void;
  /** A key was not remembered and had to be asked for. */
  keyMissed(): void;
  /** How much of the room for keys is taken, from 0 to 1. Of services of the first version. */
  keysFill(part: number): void;
  /** A service was called; `method` is the whole path, `status` the name of a code of gRPC. */
  called(call: { readonly service: string; readonly method: string; readonly status: string }, seconds: number): void;
  /** A value went by with a key of the service's that has this name. */
  keyUsed(way: Way, key: ServiceKey): void;
  /** The service has said which key is its key now. */
  keyTold(key: ServiceKey): void;
  /** It has said so in a way that cannot be. */
  keyIdRefused(service: string, why: 'empty' | 'too_long'): void;
}

const nothing = (): void => undefined;
export const noEncryptionCounts: EncryptionCounts = {
  transformed: nothing,
  keyMade: nothing,
  keyMissed: nothing,
  keysFill: nothing,
  called: nothing,
  keyUsed: nothing,
  keyTold: nothing,
  keyIdRefused: nothing,
};

/** A key, made by `make`; a failure is counted and thrown on. */
export function madeKey(make: () => Buffer, counts: EncryptionCounts): Buffer {
  const begun = performance.now();
  try {
    const key = make();
    counts.keyMade((performance.now() - begun) / 1000);
    return key;
  } catch (error) {
    counts.keyMade(null);
    throw error;
  }
}

/** Names of the codes of gRPC, as the reference's library spells them. */
const statusNames = [
  'OK',
  'Canceled',
  'Unknown',
  'InvalidArgument',
  'DeadlineExceeded',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DataLoss',
  'Unauthenticated',
];

/** By what an error is counted: the code of gRPC that it, or what caused it, has. */
export function statusOf(error: unknown): string {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const code: unknown = (at as { readonly code?: unknown }).code;
    if (typeof code === 'number') return statusNames[code] ?? `Code(${code})`;
  }
  return 'unknown-non-grpc';
}
