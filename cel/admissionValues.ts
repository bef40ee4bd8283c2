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

/** May answer synchronously. Never rejects: a failure is an answer with `error`. */
export type AskAuthorizer = (question: AuthorizationQuestion) => AuthorizationAnswer | Promise<AuthorizationAnswer>;

/** The read-only inputs of admission expressions (match conditions, policies). */
export interface AdmissionValues {
  /** Converted to the version that the webhook or policy matches; null on delete. */
  readonly object: JsonObject | null;
  /** Null on create. */
  readonly oldObject: JsonObject | null;
  /** The `request` of an AdmissionReview without `object` and `oldObject`; absent members are omitted. */
  readonly request: JsonObject;
  /** The object that a policy's binding names, if any. */
  readonly params?: JsonObject | null;
  /** The Namespace of the object, or null for cluster-scoped objects. Absent for webhooks. */
  readonly namespaceObject?: JsonObject | null;
  /** Null where expressions may not ask the authorizer. */
  readonly user: User | null;
  readonly askAuthorizer: AskAuthorizer;
}
