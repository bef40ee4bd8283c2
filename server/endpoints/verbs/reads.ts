import { badRequest, StatusError } from '../../../api/status.js';
import { expiredList } from '../../registry/failures.js';
import { sendList, sendObjectRead } from '../answers.js';
import { negotiate } from '../negotiation.js';
import { encodeContinue, expiredContinue } from '../options/continueToken.js';
import { getConsistency, parseListOptions, type ListOptions } from '../options/listOptions.js';
import { booleanParameter } from '../options/values.js';
import { acceptsGzip } from '../sending.js';
import { targetOf, type VerbHandler } from './deps.js';

/** Writes the stored bytes behind a prefix. A GET of `status` reads the whole object. */
export const get: VerbHandler = async (context, route, { registry, compression }) => {
  const representation = negotiate(context, route.resource, { collection: false, stream: false });
  if (booleanParameter(context.query, 'export') === true)
    throw badRequest('the export parameter, deprecated since v1.14, is no longer supported');
  const stored = await registry.get(targetOf(route), getConsistency(context.query));
  await context.turn?.();
  await sendObjectRead(context, representation, { resource: route.resource, stored }, compression && acceptsGzip(context));
};

/** Writes stored bytes between a header and a footer. */
export const list: VerbHandler = async (context, route, { registry, compression, shards, cached }) => {
  const { resource, namespace } = route;
  const representation = negotiate(context, resource, { collection: true, stream: false });
  const allNamespaces = resource.namespaced && namespace === null;
  const options = parseListOptions(context.query, resource, {
    shards,
    cached: cached(resource.storage),
    namespace: resource.namespaced ? namespace : '',
  });
  const query = { ...options, namespace: resource.namespaced ? namespace : null };
  const page = await registry.list(resource, query, options.continuing ? expiredContinue : expiredList).catch((error: unknown) => {
    throw withContinuation(error, options, allNamespaces);
  });
  await context.turn?.();
  await sendList(context, representation, { resource, page, allNamespaces, shard: options.shard }, compression && acceptsGzip(context));
};

/** A list whose version has expired can be continued, if the client accepts that it is no longer a snapshot. */
function withContinuation(error: unknown, options: ListOptions, allNamespaces: boolean): unknown {
  if (!(error instanceof StatusError) || error.code !== 410 || options.after === null) return error;
  return new StatusError(error.code, error.reason, error.message, error.details, {
    cause: error,
    continue: encodeContinue(null, options.after, allNamespaces),
  });
}
