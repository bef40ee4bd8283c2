import type { JsonObject } from '../../api/object.js';
import type { User } from '../../api/user.js';

/** A question that an expression asks of the authorizer. Selectors are as the expression writes them. */
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

/** Asks whoever decides for this server. May answer at once. Never rejects: a failure is an answer with `error`. */
export type AskAuthorizer = (question: AuthorizationQuestion) => AuthorizationAnswer | Promise<AuthorizationAnswer>;

/** What the expressions of admission (match conditions, policies) may look at. Everything is only read. */
export interface AdmissionValues {
  /** In the version that the webhook or policy wants; null on delete. */
  readonly object: JsonObject | null;
  /** null on create. */
  readonly oldObject: JsonObject | null;
  /** The `request` member of an AdmissionReview without `object` and `oldObject`; absent members are left out. */
  readonly request: JsonObject;
  /** The object that a policy's binding names; absent where there are no parameters. */
  readonly params?: JsonObject | null;
  /** The Namespace of the object; null for objects outside of any. Webhooks have none: leave it out. */
  readonly namespaceObject?: JsonObject | null;
  /** Who asks; for `authorizer`. */
  readonly user: User;
  readonly askAuthorizer: AskAuthorizer;
}
