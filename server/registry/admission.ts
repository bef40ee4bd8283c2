import type { ApiObject, JsonObject } from '../../api/object.js';
import type { GroupVersion } from '../../api/resource.js';
import type { ServedResource } from './resources.js';
import type { WriteRequest } from './writeRequest.js';

export interface GroupVersionKind extends GroupVersion {
  readonly kind: string;
}

/** A Scale, a Binding, connection options. */
export interface BodyForm extends GroupVersionKind {
  /** Both functions use the served version and may change their arguments. Absent where `object` already has this form. */
  readonly view?: {
    show(object: ApiObject): ApiObject;
    put(object: ApiObject, written: { readonly shown: ApiObject }): ApiObject;
  };
}

/** Objects are in the stored version, with defaults set. */
export interface AdmissionRequest extends Pick<WriteRequest, 'user' | 'dryRun' | 'warn' | 'latency'> {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  /** The verb that was authorized: `patch` and `update` are one operation. */
  readonly verb: string;
  readonly resource: ServedResource;
  readonly subresource: string;
  readonly form: BodyForm | null;
  readonly namespace: string;
  /** While objects of a create change, the prefix of a name that is generated later. Empty for objects of a deleted collection. */
  readonly name: string;
  /** Null when the object is deleted. */
  readonly object: ApiObject | null;
  /** The current state; null on create. */
  readonly old: ApiObject | null;
  /** Null for connections. */
  readonly options: JsonObject | null;
  /** The first one with a key counts. `Request` limits it to events that record bodies. */
  readonly annotate: (key: string, text: string, level?: 'Request') => void;
  /** Aborts when no caller waits any more; made when first read. */
  readonly waiter: { readonly signal: AbortSignal } | null;
  /** Milliseconds of `performance.now()`; Infinity for none. */
  readonly deadline: number;
  /** Called before a webhook or a policy changes `object`: no manager owns these changes. */
  readonly changing?: (() => void) | undefined;
}

/** A step may request a second run, so that earlier steps see later changes; there is never a third. */
export interface MutationPass {
  readonly again: boolean;
  repeat(): void;
  readonly notes: Map<string, unknown>;
}

/**
 * A write runs all `admit` in chain order, all `permit`, the strategy's preparation and validation, all `validate`, then storage. Each may throw StatusError,
 * which refuses the write; only `admit` may change `object`, and it may run twice (`MutationPass`).
 */
export interface AdmissionPlugin {
  /** The name in `--enable-admission-plugins`. */
  readonly name: string;
  readonly resources: readonly string[] | null;
  readonly connects?: boolean;
  readonly admit?: (request: AdmissionRequest, pass: MutationPass) => Promise<void> | void;
  /** Demands the rights that the object needs as admission left it. */
  readonly permit?: (request: AdmissionRequest) => Promise<void> | void;
  readonly validate?: (request: AdmissionRequest) => Promise<void> | void;
}

export interface Admission {
  /** Both methods return a promise only where they have to wait, which is rare. */
  admit(request: AdmissionRequest): Promise<void> | void;
  validate(request: AdmissionRequest): Promise<void> | void;
}
