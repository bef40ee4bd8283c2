import type { ApiObject, JsonObject } from '../../api/object.js';
import type { GroupVersion } from '../../api/resource.js';
import type { ServedResource } from './resources.js';
import type { WriteRequest } from './writeRequest.js';

export interface GroupVersionKind extends GroupVersion {
  readonly kind: string;
}

/** What the body of a request is where it is not an object of the resource: a Scale, a Binding, the options of a connection. */
export interface BodyForm extends GroupVersionKind {
  /**
   * For forms that show the stored object otherwise (`scale`): the form of an object, and the object with what the form says. Both take and give
   * objects in the served version and may change their arguments. Absent where `object` is of this form itself.
   */
  readonly view?: {
    show(object: ApiObject): ApiObject;
    put(object: ApiObject, written: { readonly shown: ApiObject }): ApiObject;
  };
}

/** A write under way, as admission sees it. Objects are in the stored version, with defaults set. */
export interface AdmissionRequest extends Pick<WriteRequest, 'user' | 'dryRun' | 'warn'> {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  /** As which verb the request was authorized: `patch` and `update` are one operation. */
  readonly verb: string;
  readonly resource: ServedResource;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** Null where the body is an object of the resource. */
  readonly form: BodyForm | null;
  readonly namespace: string;
  /** Of a new object with a generated name: the name that is tried first. Empty for the objects of a deleted collection. */
  readonly name: string;
  /** The new state; null when the object is deleted. */
  readonly object: ApiObject | null;
  /** The present state; null on create. */
  readonly old: ApiObject | null;
  /** What the client asked for beside the object (CreateOptions, UpdateOptions, DeleteOptions of `meta.k8s.io/v1`); null for connections. */
  readonly options: JsonObject | null;
  /** Receives annotations for the audit event; of several with one key the first counts. With `Request`, only for events that tell of bodies. */
  readonly annotate: (key: string, text: string, level?: 'Request') => void;
  /** Its signal aborts when nobody waits for the answer any more, and is made when somebody asks for it. */
  readonly waiter: { readonly signal: AbortSignal } | null;
  /** When the request must have been answered, in milliseconds of `performance.now()`; Infinity for no such time. */
  readonly deadline: number;
  /** Called before a webhook or a policy changes `object`: what they change is nobody's in `metadata.managedFields`. */
  readonly changing?: (() => void) | undefined;
}

/**
 * One run through all steps that change objects. When a step asks for it, there is a second one, so that earlier steps see what later ones
 * have changed; there is never a third.
 */
export interface MutationPass {
  /** False in the first run. */
  readonly again: boolean;
  /** Asks for the second run. */
  repeat(): void;
  /** What steps keep from the first run for the second, by their names. */
  readonly notes: Map<string, unknown>;
}

/**
 * One step of admission. Order of a write: all `admit` in the order of the chain, the strategy's preparation and validation, all
 * `validate`, storage. Both may throw StatusError, which refuses the write; only `admit` may change `object`. It runs twice when a later step
 * has asked for that (`MutationPass`).
 */
export interface AdmissionPlugin {
  /** As `--enable-admission-plugins` names it. */
  readonly name: string;
  /** Resources (`pods`, `deployments.apps`) that it wants to see, or null for all. */
  readonly resources: readonly string[] | null;
  /** Wants to see connections (`CONNECT`) as well. */
  readonly connects?: boolean;
  readonly admit?: (request: AdmissionRequest, pass: MutationPass) => Promise<void> | void;
  readonly validate?: (request: AdmissionRequest) => Promise<void> | void;
}

/** The chain as the registry calls it. */
export interface Admission {
  /** Both: a promise only where something has to be waited for, which is rare. */
  admit(request: AdmissionRequest): Promise<void> | void;
  validate(request: AdmissionRequest): Promise<void> | void;
}
