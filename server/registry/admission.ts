import type { ApiObject, JsonObject } from '../../api/object.js';
import type { GroupVersion } from '../../api/resource.js';
import type { ServedResource } from './resources.js';
import type { WriteRequest } from './writeRequest.js';

export interface GroupVersionKind extends GroupVersion {
  readonly kind: string;
}

/** The type of a request body that is not an object of the resource: a Scale, a Binding, connection options. */
export interface BodyForm extends GroupVersionKind {
  /**
   * Reads and writes the stored object in this form (`scale`). Both functions use the served version and may change their arguments. Absent where `object`
   * already has this form.
   */
  readonly view?: {
    show(object: ApiObject): ApiObject;
    put(object: ApiObject, written: { readonly shown: ApiObject }): ApiObject;
  };
}

/** A write as admission sees it. Objects are in the stored version, with defaults set. */
export interface AdmissionRequest extends Pick<WriteRequest, 'user' | 'dryRun' | 'warn'> {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  /** The verb that was authorized: `patch` and `update` are one operation. */
  readonly verb: string;
  readonly resource: ServedResource;
  readonly subresource: string;
  readonly form: BodyForm | null;
  readonly namespace: string;
  /** The first one that is tried for a generated name. Empty for objects of a deleted collection. */
  readonly name: string;
  /** The new state; null when the object is deleted. */
  readonly object: ApiObject | null;
  /** The current state; null on create. */
  readonly old: ApiObject | null;
  /** CreateOptions, UpdateOptions or DeleteOptions of `meta.k8s.io/v1`; null for connections. */
  readonly options: JsonObject | null;
  /** Adds an annotation to the audit event; the first one with a key counts. `Request` limits it to events that record bodies. */
  readonly annotate: (key: string, text: string, level?: 'Request') => void;
  /** Its signal, made when it is first read, aborts when no caller waits for the response any more. */
  readonly waiter: { readonly signal: AbortSignal } | null;
  /** The deadline of the response, in milliseconds of `performance.now()`; Infinity for none. */
  readonly deadline: number;
  /** Called before a webhook or a policy changes `object`: no manager owns these changes in `metadata.managedFields`. */
  readonly changing?: (() => void) | undefined;
}

/** One run through all mutating steps. A step may request a second run, so that earlier steps see later changes; there is never a third. */
export interface MutationPass {
  readonly again: boolean;
  repeat(): void;
  /** State that steps keep from the first run for the second, by step name. */
  readonly notes: Map<string, unknown>;
}

/**
 * One step of admission. A write runs all `admit` in chain order, the strategy's preparation and validation, all `validate`, then storage. Both methods may
 * throw StatusError, which refuses the write; only `admit` may change `object`, and it may run twice (`MutationPass`).
 */
export interface AdmissionPlugin {
  /** The name in `--enable-admission-plugins`. */
  readonly name: string;
  /** The resources (`pods`, `deployments.apps`) that the plugin handles; null for all. */
  readonly resources: readonly string[] | null;
  /** The plugin handles connections (`CONNECT`) as well. */
  readonly connects?: boolean;
  readonly admit?: (request: AdmissionRequest, pass: MutationPass) => Promise<void> | void;
  readonly validate?: (request: AdmissionRequest) => Promise<void> | void;
}

export interface Admission {
  /** Both methods return a promise only where they have to wait, which is rare. */
  admit(request: AdmissionRequest): Promise<void> | void;
  validate(request: AdmissionRequest): Promise<void> | void;
}
