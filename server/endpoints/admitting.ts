import type { BodyForm } from '../registry/admission.js';
import type { ApiObject, JsonObject } from '../../api/object.js';
import { proxiedPath } from './backends/paths.js';
import type { RequestContext } from './context.js';
import type { Target } from '../registry/target.js';
import { checkNamespace } from '../registry/writes.js';
import type { Route } from './routing.js';
import { targetOf, writeOptions, type VerbDeps } from './verbs/deps.js';

interface Body {
  readonly object: ApiObject;
  readonly form?: BodyForm;
  readonly asksAboutRights?: boolean;
  readonly dryRun: boolean;
  readonly fieldManager: string;
}

/** Runs admission, which may change the body. Rejects with a refusal. */
export async function admitBody(
  context: RequestContext,
  route: Route,
  { registry }: VerbDeps,
  { object, form, asksAboutRights = false, dryRun, fieldManager }: Body,
): Promise<void> {
  const { group, version, kind } = form ?? route.resource;
  const target = targetOf(route);
  putInNamespace(object, target);
  await registry.admit(
    target,
    { operation: 'CREATE', subresource: route.subresource?.name ?? '', form: { group, version, kind }, object, asksAboutRights },
    writeOptions(context, dryRun, fieldManager),
  );
}

/** A body may omit its namespace, but not name another one (400). */
export function putInNamespace({ metadata }: ApiObject, target: Target): void {
  checkNamespace(metadata, target);
  if (target.resource.namespaced) metadata.namespace = target.namespace;
}

/** The connection's options are the object. Rejects with a refusal. */
export async function admitConnection(context: RequestContext, route: Route, { registry }: VerbDeps): Promise<void> {
  const subresource = route.subresource?.name ?? '';
  const known = connections[`${route.resource.resource}/${subresource}`];
  if (known === undefined) return;
  const object = { ...known.options(context), metadata: {} };
  await registry.admit(
    targetOf(route),
    { operation: 'CONNECT', subresource, form: { group: '', version: 'v1', kind: known.kind }, object },
    writeOptions(context, false),
  );
}

interface Connection {
  readonly kind: string;
  readonly options: (context: RequestContext) => JsonObject;
}

const isTrue = (text: string | null): boolean => text !== null && text !== '0' && text.toLowerCase() !== 'false';
const flags = (query: URLSearchParams, names: readonly string[]): JsonObject =>
  Object.fromEntries(names.filter((name) => isTrue(query.get(name))).map((name) => [name, true]));
const text = (query: URLSearchParams, name: string): JsonObject =>
  (query.get(name) ?? '') === '' ? {} : { [name]: query.get(name) ?? '' };
const list = (name: string, values: readonly (string | number)[]): JsonObject => (values.length === 0 ? {} : { [name]: [...values] });
const streams = ['stdin', 'stdout', 'stderr', 'tty'];

/** Expressions see the decoded path. */
const proxied = ({ info }: RequestContext): JsonObject => {
  const path = proxiedPath(info);
  return path === '' ? {} : { path };
};

const connections: Readonly<Record<string, Connection>> = {
  'pods/exec': {
    kind: 'PodExecOptions',
    options: ({ query }) => ({ ...flags(query, streams), ...text(query, 'container'), ...list('command', query.getAll('command')) }),
  },
  'pods/attach': { kind: 'PodAttachOptions', options: ({ query }) => ({ ...flags(query, streams), ...text(query, 'container') }) },
  'pods/portforward': {
    kind: 'PodPortForwardOptions',
    options: ({ query }) =>
      list(
        'ports',
        query
          .getAll('ports')
          .flatMap((each) => each.split(','))
          .map(Number)
          .filter(Number.isInteger),
      ),
  },
  'pods/proxy': { kind: 'PodProxyOptions', options: proxied },
  'services/proxy': { kind: 'ServiceProxyOptions', options: proxied },
  'nodes/proxy': { kind: 'NodeProxyOptions', options: proxied },
};
