import type { ApiObject } from '../../api/object.js';
import { servedObject } from '../../registry/conversion.js';
import { strategyOf } from '../../registry/strategies.js';
import { deletedStatus, sendDocument, sendList, sendObject } from '../answers.js';
import { negotiate } from '../negotiation.js';
import { parseDeleteParameters } from '../options/deleteOptions.js';
import { parseListOptions } from '../options/listOptions.js';
import { parseWriteParameters } from '../options/writeOptions.js';
import type { Route } from '../routing.js';
import { targetOf, writeOptions, type VerbHandler } from './deps.js';

const SINGLE = { collection: false, stream: false } as const;

/** POST to a collection. */
export const create: VerbHandler = async (context, route, { registry, reader }) => {
  const representation = negotiate(context, SINGLE);
  const parameters = parseWriteParameters(context.query, 'CreateOptions');
  const object = await reader.object(context, route.resource, parameters.fieldValidation);
  const stored = await registry.create(targetOf(route), object, writeOptions(context, parameters.dryRun, parameters.fieldManager));
  sendObject(context, representation, route.resource, stored, 201);
};

/** PUT of an object or of a subresource whose body is the object. */
export const update: VerbHandler = async (context, route, { registry, reader }) => {
  const representation = negotiate(context, SINGLE);
  const parameters = parseWriteParameters(context.query, 'UpdateOptions');
  const object = await reader.object(context, route.resource, parameters.fieldValidation);
  const uid = object.metadata.uid ?? '';
  const change = {
    // Every attempt needs an object of its own: preparing an update changes it.
    apply: (): ApiObject => structuredClone(object),
    subresource: route.subresource?.name ?? '', uid: uid === '' ? null : uid, mayCreate: true,
  };
  const written = await registry.update(targetOf(route), change, writeOptions(context, parameters.dryRun, parameters.fieldManager));
  sendObject(context, representation, route.resource, written.object, written.created ? 201 : 200);
};

/** DELETE of one object. What answers depends on the kind, and on whether the object is gone already. */
export const remove: VerbHandler = async (context, route, { registry, reader }) => {
  const representation = negotiate(context, SINGLE);
  const { wish, dryRun } = await parseDeleteParameters(context, reader);
  const { object, gone } = await registry.delete(targetOf(route), wish, writeOptions(context, dryRun));
  if (gone && strategyOf(route.resource.storage).deleteAnswers !== 'object') {
    sendDocument(context, representation, deletedStatus(route.resource, object.name, servedObject(route.resource, object).metadata.uid ?? ''));
  } else {
    // "Neither orphan nor wait" on an object that has to stay is accepted rather than done.
    sendObject(context, representation, route.resource, object, !gone && wish.orphanDependents === false ? 202 : 200);
  }
};

/** DELETE of a collection: answers with what was there. */
export const removeCollection: VerbHandler = async (context, route, { registry, reader }) => {
  const { resource, namespace } = route;
  const representation = negotiate(context, { collection: true, stream: false });
  const options = parseListOptions(context.query, resource, namespace);
  const { wish, dryRun } = await parseDeleteParameters(context, reader);
  const page = await registry.deleteCollection(resource, { ...options, namespace: scopeOf(route) }, wish, writeOptions(context, dryRun));
  await sendList(context, representation, resource, page, resource.namespaced && namespace === null);
};

const scopeOf = ({ resource, namespace }: Route): string | null => (resource.namespaced ? namespace : null);
