import type { JsonObject } from '../../api/object.js';
import type { User } from '../../api/user.js';
import type { EnabledFeatures } from '../../program/features/fieldGates.js';
import type { DropGatedFields } from './gatedFields.js';

/**
 * What travels with a write, from the request to storage. It is made once: all that one write puts down has one time. Whoever is on the way declares which part
 * of it he takes.
 */
export interface WriteRequest {
  readonly user: User;
  /** As which verb the request was authorized, where rights depend on it. Default: the plain one of what is done, such as `update`. */
  readonly verb?: string | undefined;
  /** Under which name the writer's fields are recorded. */
  readonly manager: string;
  /** `managedFields` as the write has worked them out itself; absent when the registry does. */
  readonly owners?: JsonObject[] | undefined;
  readonly dryRun: boolean;
  /** How long storage may take before the outcome counts as unknown. */
  readonly timeoutMs: number;
  /** Receives texts for `Warning` headers. */
  readonly warn: (text: string) => void;
  /** Receives annotations for the audit event. */
  readonly annotate?: ((key: string, text: string, level?: 'Request') => void) | undefined;
  /** What the client asked for beside the object: members of CreateOptions, UpdateOptions or DeleteOptions. Default: nothing. */
  readonly asked?: JsonObject | undefined;
  /** Its signal aborts when nobody waits for the answer any more, and is made when somebody asks for it. Default: never. */
  readonly waiter?: { readonly signal: AbortSignal } | undefined;
  /** When the request must have been answered, in milliseconds of `performance.now()`. Default: no such time. */
  readonly deadline?: number | undefined;
  /** The time of the write, RFC 3339 with seconds. */
  readonly now: string;
  /** Numbers in [0, 1). */
  readonly random: () => number;
  readonly newUid: () => string;
  /** Which features are on, and what goes with those that are off. */
  readonly enabled: EnabledFeatures;
  readonly dropGated: DropGatedFields;
}

/** What the registry adds to what it is asked. */
export type WriteSource = Pick<WriteRequest, 'now' | 'random' | 'newUid' | 'enabled' | 'dropGated'>;

/** With every member named, though it may have no value. */
export type Whole<T> = { readonly [Member in keyof Required<T>]: T[Member] };
