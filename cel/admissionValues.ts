import type { JsonObject } from '../api/object.js';
import type { User } from '../api/user.js';

/** An authorization check of an expression, with its selectors as written. */
export type AuthorizationQuestion =
  | { readonly isResource: false; readonly user: User; readonly verb: string; readonly path: string }
  | {
      readonly isResource: true;
      readonly user: User;
      readonly verb: string;
      readonly group: string;
      readonly version: string;
      readonly resource: string;
      readonly subresource: string;
      readonly namespace: string;
      readonly name: string;
      readonly fieldSelector?: string;
      readonly labelSelector?: string;
    };

export interface AuthorizationAnswer {
  readonly allowed: boolean;
  readonly reason: string;
  readonly error?: string;
}

/** May answer synchronously. Never rejects: failures are answers with `error`. */
export type AskAuthorizer = (question: AuthorizationQuestion) => AuthorizationAnswer | Promise<AuthorizationAnswer>;

/** The read-only inputs of admission expressions (match conditions, policies). */
export interface AdmissionValues {
  /** Has the version matched by the webhook or policy; null on delete. */
  readonly object: JsonObject | null;
  /** Null on create. */
  readonly oldObject: JsonObject | null;
  /** An AdmissionReview's `request` without `object`, `oldObject` and absent members. */
  readonly request: JsonObject;
  /** The object that a policy's binding names, if any. */
  readonly params?: JsonObject | null;
  /** The object's Namespace, or null if cluster-scoped. Absent for webhooks. */
  readonly namespaceObject?: JsonObject | null;
  /** Null where expressions may not ask the authorizer. */
  readonly user: User | null;
  readonly askAuthorizer: AskAuthorizer;
}
