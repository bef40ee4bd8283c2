import { check, unwanted, type Checked, type Declarations } from './checker.js';
import { dyn, list, object, openObject, typeOf, typeOfVariable, type Type } from './types.js';

export interface AdmissionScope {
  readonly params: boolean;
  readonly authorizer: boolean;
  /** Whether objects and JSON patches may be created. */
  readonly patches: boolean;
  /** Variables declared before the expression; null if variables do not exist. */
  readonly variables: Readonly<Record<string, Type>> | null;
  /** Known only where one kind matches. */
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
const jsonPatch = object('JSONPatch', { ...words('op path from', 'string'), value: dyn });

/** The type of an expression, or the reason for its refusal; `internal` marks an expression without a program, which the reference reports as its own error. */
export interface AdmissionVerdict {
  readonly type: Type;
  readonly refused: string | null;
  readonly internal: boolean;
}

export function checkAdmission(expression: string, scope: AdmissionScope, wanted: readonly Wanted[] | null): AdmissionVerdict {
  const checked = check(expression, declarationsOf(scope));
  if (checked.ok)
    return { type: checked.type, refused: wanted === null ? null : unwanted(checked.type, wanted.map(typeOf)), internal: false };
  const { stage, message } = checked;
  const other = stage === 'compilation' || wanted === null ? null : unwanted(checked.type, wanted.map(typeOf));
  if (other !== null) return { type: checked.type, refused: other, internal: false };
  const failure = stage === 'conversion' ? 'unexpected compilation error' : `${stage} failed`;
  return { type: dyn, refused: `${failure}: ${message}`, internal: stage !== 'compilation' };
}

/** Returns the types of an expression to compile; null if they depend on its scope, as on variables. */
export function typesOfAdmission(expression: string): Pick<Extract<Checked, { ok: true }>, 'tree' | 'types'> | null {
  const checked = check(expression, declarationsOf({ params: true, authorizer: true, patches: true, variables: null }));
  return checked.ok ? checked : null;
}

/** Returns an expression's errors in the reference's form, or null. */
export function problemsOf(expression: string, scope: AdmissionScope): string | null {
  const checked = check(expression, declarationsOf(scope));
  return checked.ok || checked.stage === 'program instantiation' ? null : checked.message;
}

const seen = (variables: Readonly<Record<string, Type>>): Record<string, Type> =>
  Object.fromEntries(Object.entries(variables).map(([name, type]) => [name, typeOfVariable(type)]));

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
      ...(variables === null ? {} : { variables: object('kubernetes.variables', seen(variables)) }),
    },
    ...(patches
      ? {
          libraries: ['jsonpatch'],
          message: (name: string): Type | null => (name === 'JSONPatch' ? jsonPatch : /^Object(\.|$)/.test(name) ? openObject(name) : null),
        }
      : {}),
  };
}
