import { check, unwanted, type Checked, type Declarations } from './checker.js';
import { broken, dyn, list, object, typeOf, unknown, type Type } from './types.js';

/** What the expressions of admission policies and webhooks may name. */
export interface AdmissionScope {
  readonly params: boolean;
  readonly authorizer: boolean;
  /** Whether objects and JSON patches may be made. */
  readonly patches: boolean;
  /** By name, those that come before the expression; null where there are none at all. */
  readonly variables: Readonly<Record<string, Type>> | null;
  /** What is known of objects and parameters where only one kind is looked at. Default: nothing. */
  readonly kinds?: { readonly object: Type; readonly params: Type };
}

export type Wanted = 'bool' | 'string' | 'null' | 'Object' | 'list<JSONPatch>';

const words = (fields: string, type: string): Record<string, Type> =>
  Object.fromEntries(fields.split(' ').map((field) => [field, typeOf(type)]));
const kind = object('kubernetes.GroupVersionKind', words('group version kind', 'string'));
const resource = object('kubernetes.GroupVersionResource', words('group version resource', 'string'));
const user = object('kubernetes.UserInfo', {
  ...words('username uid', 'string'),
  groups: typeOf('list<string>'),
  extra: typeOf('map<string, list<string>>'),
});
const request = object('kubernetes.AdmissionRequest', {
  kind,
  resource,
  requestKind: kind,
  requestResource: resource,
  ...words('subResource requestSubResource name namespace operation uid', 'string'),
  userInfo: user,
  dryRun: typeOf('bool'),
  options: dyn,
});
const time = 'google.protobuf.Timestamp';
const condition = object('kubernetes.NamespaceCondition', {
  ...words('status type message reason', 'string'),
  ...words('lastTransitionTime', time),
});
const namespaceObject = object('kubernetes.Namespace', {
  ...words('apiVersion kind', 'string'),
  metadata: object('kubernetes.NamespaceMetadata', {
    ...words('name generateName namespace UID uid resourceVersion', 'string'),
    ...words('labels annotations', 'map<string, string>'),
    ...words('creationTimestamp deletionTimestamp', time),
    ...words('deletionGracePeriodSeconds generation', 'int'),
    finalizers: typeOf('list<string>'),
  }),
  spec: object('kubernetes.NamespaceSpec', { finalizers: typeOf('list<string>') }),
  status: object('kubernetes.NamespaceStatus', { phase: typeOf('string'), conditions: list(condition) }),
});
const jsonPatch = object('JSONPatch', { ...words('op path from', 'string'), value: unknown });

/** Type of an expression in a scope, or the sentence why it is refused. */
export function checkAdmission(
  expression: string,
  scope: AdmissionScope,
  wanted: readonly Wanted[] | null,
): { readonly type: Type; readonly refused: string | null } {
  const checked = check(expression, declarationsOf(scope));
  if (!checked.ok) return { type: broken, refused: `${checked.stage} failed: ${checked.message}` };
  return { type: checked.type, refused: wanted === null ? null : unwanted(checked.type, wanted.map(typeOf)) };
}

/** The types of an expression that is compiled to run, as far as they are known without its scope; null where they are not, as of one that names variables. */
export function typesOfAdmission(expression: string): Pick<Extract<Checked, { ok: true }>, 'tree' | 'types'> | null {
  const checked = check(expression, declarationsOf({ params: true, authorizer: true, patches: true, variables: null }));
  return checked.ok ? checked : null;
}

/** What is wrong with an expression whatever it should yield, as the reference prints it; null for nothing. */
export function problemsOf(expression: string, scope: AdmissionScope): string | null {
  const checked = check(expression, declarationsOf(scope));
  return checked.ok || checked.stage === 'program instantiation' ? null : checked.message;
}

function declarationsOf({ params, authorizer, patches, variables, kinds }: AdmissionScope): Declarations {
  return {
    variables: {
      object: kinds?.object ?? dyn,
      oldObject: kinds?.object ?? dyn,
      request,
      namespaceObject,
      ...(params ? { params: kinds?.params ?? dyn } : {}),
      ...(authorizer
        ? {
            authorizer: typeOf('kubernetes.authorization.Authorizer'),
            'authorizer.requestResource': typeOf('kubernetes.authorization.ResourceCheck'),
          }
        : {}),
      ...(variables === null ? {} : { variables: object('kubernetes.variables', variables) }),
    },
    ...(patches
      ? {
          libraries: ['jsonpatch'],
          message: (name: string): Type | null => (name === 'JSONPatch' ? jsonPatch : /^Object(\.|$)/.test(name) ? typeOf(name) : null),
        }
      : {}),
  };
}
