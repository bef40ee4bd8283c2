import type { ApiObject } from '../api/object.js';
import type { User } from '../api/user.js';
import type { ServedResource } from '../catalogue/resources.js';

/** A write under way, as admission sees it. Objects are in the stored version, with defaults set. */
export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly resource: ServedResource;
  /** Empty for the object itself. */
  readonly subresource: string;
  readonly namespace: string;
  /** Empty while a generated name is not chosen yet. */
  readonly name: string;
  /** The new state; null when the object is deleted. */
  readonly object: ApiObject | null;
  /** The present state; null on create. */
  readonly old: ApiObject | null;
  readonly user: User;
  readonly dryRun: boolean;
  /** Receives texts for `Warning` headers. */
  readonly warn: (text: string) => void;
}

/**
 * One step of admission. Order of a write: all `admit` in the order of the chain, the strategy's preparation and validation, all
 * `validate`, storage. Both may throw StatusError, which refuses the write; only `admit` may change `object`.
 */
export interface AdmissionPlugin {
  /** As `--enable-admission-plugins` names it. */
  readonly name: string;
  /** Resources (`pods`, `deployments.apps`) that it wants to see, or null for all. */
  readonly resources: readonly string[] | null;
  readonly admit?: (request: AdmissionRequest) => Promise<void> | void;
  readonly validate?: (request: AdmissionRequest) => Promise<void> | void;
}

/** The chain as the registry calls it. */
export interface Admission {
  admit(request: AdmissionRequest): Promise<void>;
  validate(request: AdmissionRequest): Promise<void>;
}
