import { badRequest } from '../../../api/status.js';
import { timed } from '../../../program/tracing/requestLatency.js';
import { sendList, sendObjectRead } from '../answers.js';
import { negotiate } from '../negotiation.js';
import { expiredMessageOf, refusedList } from '../options/expired.js';
import { getConsistency, parseListOptions } from '../options/listOptions.js';
import { booleanParameter } from '../options/values.js';
import { acceptsGzip } from '../sending.js';
import { targetOf, type VerbHandler } from './deps.js';

/** A GET of `status` reads the whole object. */
export const get: VerbHandler = async (context, route, { registry, compression }) => {
  const representation = negotiate(context, route.resource, { collection: false, stream: false });
  if (booleanParameter(context.query, 'export') === true)
    throw badRequest('the export parameter, deprecated since v1.14, is no longer supported');
  const consistency = getConsistency(context.query);
  const stored = await timed(context.latency, 'etcd', () => registry.get(targetOf(route), consistency));
  await context.turn?.();
  await sendObjectRead(context, representation, { resource: route.resource, stored }, compression && acceptsGzip(context));
};

export const list: VerbHandler = async (context, route, deps) => {
  const { registry, compression, shards, cached } = deps;
  const { resource, namespace } = route;
  const representation = negotiate(context, resource, { collection: true, stream: false });
  const allNamespaces = resource.namespaced && namespace === null;
  const options = parseListOptions(context.query, resource, {
    shards,
    cached: cached(resource.storage),
    namespace: resource.namespaced ? namespace : '',
  });
  const query = { ...options, namespace: resource.namespaced ? namespace : null };
  const page = await timed(context.latency, 'etcd', () => registry.list(resource, query, expiredMessageOf(options))).catch(
    (error: unknown) => {
      throw refusedList(error, { resource, options, allNamespaces }, deps);
    },
  );
  await context.turn?.();
  await sendList(context, representation, { resource, page, allNamespaces, shard: options.shard }, compression && acceptsGzip(context));
};
