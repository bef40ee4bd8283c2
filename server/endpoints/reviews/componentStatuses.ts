import type { ApiObject } from '../../../api/object.js';
import { notFound, StatusError } from '../../../api/status.js';
import { transientObject } from '../../registry/transient.js';
import { selects } from '../../storage/matching.js';
import { sendList, sendObject } from '../answers.js';
import { negotiate } from '../negotiation.js';
import { parseListOptions } from '../options/listOptions.js';
import { targetOf, type VerbDeps, type VerbHandler } from '../verbs/deps.js';
import type { Route } from '../routing.js';

/** This server knows only its store, healthy if it can report the latest state. */
const store = 'etcd-0';
/** Reading this object makes the store report its latest state. */
const probe = 'default';

async function storeStatus({ registry, catalogue }: VerbDeps): Promise<ApiObject> {
  const namespaces = catalogue.resource('', 'v1', 'namespaces');
  let error = '';
  try {
    if (namespaces !== null) await registry.get({ resource: namespaces, namespace: '', name: probe }, { at: 'mostRecent' });
  } catch (failure) {
    if (!(failure instanceof StatusError)) throw failure;
    if (failure.code !== 404) error = failure.message;
  }
  const condition = error === '' ? { type: 'Healthy', status: 'True', message: 'ok' } : { type: 'Healthy', status: 'False', error };
  return { apiVersion: 'v1', metadata: { name: store }, conditions: [condition] };
}

export const getComponentStatus: VerbHandler = async (context, route: Route, deps) => {
  const representation = negotiate(context, route.resource, { collection: false, stream: false });
  const { name } = targetOf(route);
  // The reference uses the singular here.
  if (name !== store) throw notFound({ group: '', resource: 'componentstatus' }, name);
  sendObject(context, representation, { resource: route.resource, stored: transientObject(await storeStatus(deps), 0) });
};

export const listComponentStatuses: VerbHandler = async (context, route, deps) => {
  const representation = negotiate(context, route.resource, { collection: true, stream: false });
  const selection = parseListOptions(context.query, route.resource, { namespace: '' });
  const items = [transientObject(await storeStatus(deps), 0)].filter((item) => selects({ ...selection, namespace: null }, item));
  const page = { outcome: 'found', version: 0, items, more: false, remaining: null } as const;
  await sendList(context, representation, { resource: route.resource, page, allNamespaces: false });
};
