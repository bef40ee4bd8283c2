import { copyOf } from '../../../api/json/copy.js';
import type { ApiObject, JsonObject } from '../../../api/object.js';
import { forbidden } from '../../../api/status.js';
import { attributesOf } from '../../authorization/authorizer.js';
import { servedObject } from '../../registry/conversion.js';
import { deletionWarnings } from '../../registry/deletion.js';
import type { Registry } from '../../registry/contract.js';
import type { Target } from '../../registry/target.js';
import { checkIdentity, checkVersion } from '../../registry/writes.js';
import { deletedStatus, sendDocument, sendList, sendObject } from '../answers.js';
import { OtherKindError } from '../body.js';
import type { RequestContext } from '../context.js';
import { negotiateDeletion, negotiateWrite, type Representation } from '../negotiation.js';
import { parseDeleteParameters, refuseForceOnCollection } from '../options/deleteOptions.js';
import { expiredMessageOf, refusedList } from '../options/expired.js';
import { placedLater } from '../options/listOptions.js';
import { parseWriteParameters } from '../options/writeOptions.js';
import type { Route } from '../routing.js';
import { creationCheck } from './creationCheck.js';
import { deletionOptions, targetOf, writeOptions, type VerbDeps, type VerbHandler } from './deps.js';

export const create: VerbHandler = async (context, route, { registry, reader }) => {
  const representation = negotiateWrite(context, route.resource);
  const parameters = parseWriteParameters(context.query, 'CreateOptions');
  const { object } = await reader.stored(context, route.resource, parameters.fieldValidation);
  const stored = await registry.create(targetOf(route), object, writeOptions(context, parameters.dryRun, parameters.fieldManager));
  await context.turn?.();
  sendObject(context, representation, { resource: route.resource, stored }, 201);
};

export const update: VerbHandler = async (context, route, { registry, reader, authorize }) => {
  const representation = negotiateWrite(context, route.resource);
  const parameters = parseWriteParameters(context.query, 'UpdateOptions');
  const { object, respelled } = await reader.stored(context, route.resource, parameters.fieldValidation).catch(async (error: unknown) => {
    if (error instanceof OtherKindError) await checkReplaced(error.metadata, targetOf(route), registry);
    throw error;
  });
  checkIdentity(object.metadata, targetOf(route));
  const uid = object.metadata.uid ?? '';
  const change = {
    // Every attempt needs its own copy, which preparing an update changes.
    apply: (): ApiObject => copyOf(object as JsonObject) as ApiObject,
    replaces: true,
    respelled: () => respelled,
    subresource: route.subresource?.name ?? '',
    uid: uid === '' ? null : uid,
    mayCreate: creationCheck(context, route, authorize),
  };
  const written = await registry.update(targetOf(route), change, writeOptions(context, parameters.dryRun, parameters.fieldManager));
  await context.turn?.();
  sendObject(context, representation, { resource: route.resource, stored: written.object }, written.created ? 201 : 200);
};

/** Throws 400, 404, 409, or 422 without a version. */
async function checkReplaced(metadata: OtherKindError['metadata'], target: Target, registry: Registry): Promise<void> {
  checkIdentity(metadata, target);
  checkVersion({ ...metadata }, await registry.get(target, { at: 'mostRecent' }), target);
}

export const remove: VerbHandler = async (context, route, deps) => {
  const { registry, reader, forcesDeletion } = deps;
  const representation = negotiateDeletion(context, route.resource);
  const parameters = await parseDeleteParameters(context, reader, forcesDeletion);
  const { deleteOptions, unreadable } = parameters;
  if (unreadable) return removeUnreadable(context, route, deps, representation);
  const { object, gone } = await registry.delete(targetOf(route), deleteOptions, deletionOptions(context, parameters));
  await context.turn?.();
  if (gone && route.resource.behaviour.strategy.delete.answers !== 'object') {
    sendDocument(
      context,
      representation,
      deletedStatus(route.resource, object.name, servedObject(route.resource, object).metadata.uid ?? ''),
    );
  } else {
    // "Neither orphan nor wait" is accepted rather than done.
    const code = !gone && deleteOptions.orphanDependents === false ? 202 : 200;
    sendObject(context, representation, { resource: route.resource, stored: object }, code);
  }
};

const forceVerb = 'unsafe-delete-ignore-read-errors';

/** Removing an object unread takes a right of its own. */
async function removeUnreadable(
  context: RequestContext,
  route: Route,
  { registry, authorize }: VerbDeps,
  representation: Representation,
): Promise<void> {
  const { resource, name } = route;
  const attributes = attributesOf(context.user, context.info, '');
  const { decision, reason } = await authorize({ ...attributes, verb: forceVerb });
  if (decision !== 'allow') throw forbidden(resource, name, `not permitted to do ${JSON.stringify(forceVerb)}, reason: ${reason}`);
  await registry.deleteUnreadable(targetOf(route), writeOptions(context, false));
  sendDocument(context, representation, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, kind: resource.kind },
    code: 200,
  });
}

/** Returns the list as it was before. */
export const removeCollection: VerbHandler = async (context, route, deps) => {
  const { registry, reader, forcesDeletion, shards, cached } = deps;
  const { resource, namespace } = route;
  const representation = negotiateWrite(context, resource, { list: true });
  const place = placedLater(context.query, resource, { shards, cached: cached(resource.storage), namespace });
  const parameters = await parseDeleteParameters(context, reader, forcesDeletion);
  refuseForceOnCollection(parameters);
  // Warns a client even if its list is unavailable.
  context.warnings.push(...deletionWarnings(resource, parameters.deleteOptions));
  const options = place();
  const allNamespaces = resource.namespaced && namespace === null;
  const page = await registry
    .deleteCollection(
      resource,
      { ...options, namespace: scopeOf(route), expiredMessage: expiredMessageOf(options) },
      parameters.deleteOptions,
      deletionOptions(context, parameters),
    )
    .catch((error: unknown) => {
      throw refusedList(error, { resource, options, allNamespaces }, deps);
    });
  await sendList(context, representation, { resource, page, allNamespaces });
};

const scopeOf = ({ resource, namespace }: Route): string | null => (resource.namespaced ? namespace : null);
