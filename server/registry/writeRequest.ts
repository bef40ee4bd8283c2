import type { JsonObject } from '../../api/object.js';
import type { User } from '../../api/user.js';
import type { EnabledFeatures } from '../../program/features/gates.js';
import type { RequestLatency } from '../../program/tracing/requestLatency.js';
import type { DropGatedFields } from './gatedFields.js';

/** Made once, so that all records of a write have one time. */
export interface WriteRequest {
  readonly user: User;
  /** Default: the plain verb, such as `update`. */
  readonly verb?: string | undefined;
  /** The manager that owns the written fields. */
  readonly manager: string;
  readonly owners?: JsonObject[] | undefined;
  readonly dryRun: boolean;
  /** The time after which the outcome counts as unknown. */
  readonly timeoutMs: number;
  /** Receives texts for `Warning` headers. */
  readonly warn: (text: string) => void;
  /** Receives annotations for the audit event. */
  readonly annotate?: ((key: string, text: string, level?: 'Request') => void) | undefined;
  /** Members of CreateOptions, UpdateOptions or DeleteOptions. */
  readonly asked?: JsonObject | undefined;
  /** Aborts when no caller waits any more. Default: never. */
  readonly waiter?: { readonly signal: AbortSignal } | undefined;
  /** Receives the times of webhooks and of the store. */
  readonly latency?: RequestLatency | undefined;
  /** Milliseconds of `performance.now()`. Default: none. */
  readonly deadline?: number | undefined;
  /** The time of the write, RFC 3339 with seconds. */
  readonly now: string;
  /** Numbers in [0, 1). */
  readonly random: () => number;
  readonly newUid: () => string;
  /** The enabled features, and what follows from those that are off. */
  readonly enabled: EnabledFeatures;
  readonly dropGated: DropGatedFields;
}

export type WriteSource = Pick<WriteRequest, 'now' | 'random' | 'newUid' | 'enabled' | 'dropGated'>;

/** Every member is named, though it may have no value. */
export type Whole<T> = { readonly [Member in keyof Required<T>]: T[Member] };
