import { statusNameOf } from '../../../program/grpc/statusCodes.js';
export type Way = 'to_storage' | 'from_storage';

/** A service's key, by the service's name for it. */
export interface ServiceKey {
  readonly service: string;
  readonly keyId: string;
}

export interface EncryptionCounts {
  /** `seconds` is null for a failure. */
  transformed(way: Way, value: { readonly prefix: string; readonly status: string }, seconds: number | null): void;
  keyMade(seconds: number | null): void;
  keyMissed(): void;
  /** The used part of v1's key cache, from 0 to 1. */
  keysFill(part: number): void;
  /** `method` is the full path, `status` the name of a gRPC code. */
  called(call: { readonly service: string; readonly method: string; readonly status: string }, seconds: number): void;
  keyUsed(way: Way, key: ServiceKey): void;
  keyReported(key: ServiceKey): void;
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
  keyReported: nothing,
  keyIdRefused: nothing,
};

/** Counts a failure and rethrows it. */
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

export const statusOf = (error: unknown): string => statusNameOf(error, (code) => `Code(${code})`);
