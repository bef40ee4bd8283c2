import type { BodyForm } from '../../admission/contract.js';
import type { ApiObject } from '../../api/object.js';
import type { StatusError } from '../../api/status.js';
import type { ServedResource } from '../../catalogue/resources.js';
import { checkIdentity } from '../../registry/writes.js';
import { servedObject } from '../../registry/conversion.js';
import { behaviourOf } from '../../registry/behaviour.js';
import type { StoredObject } from '../../storage/contract.js';
import { sendDocument } from '../answers.js';
import { negotiate } from '../negotiation.js';
import { getConsistency } from '../options/listOptions.js';
import { parseWriteParameters } from '../options/writeOptions.js';
import { targetOf, writeOptions, type VerbHandler } from './deps.js';

/** A subresource that shows an object in another form, and takes changes in that form. */
export interface View {
  /** The form's own type, in place of the object's. */
  readonly type: (resource: ServedResource) => ServedResource;
  /** The form of a stored object, with kind and apiVersion. */
  readonly show: (object: ApiObject, version: string, resource: ServedResource) => ApiObject;
  /** What a patch starts from. */
  readonly before: (object: ApiObject, version: string, resource: ServedResource) => ApiObject;
  /** Why server-side apply of the form is refused, for types that always do. */
  readonly refuseApply: (name: string, resource: ServedResource) => StatusError | null;
  /** The object with what a client wrote in that form; may change both. Throws StatusError. */
  readonly put: (object: ApiObject, shown: ApiObject, resource: ServedResource) => ApiObject;
}

export const SCALE: View = {
  type: resource => ({ ...resource, group: 'autoscaling', version: 'v1', kind: 'Scale' }),
  show: (object, version, resource) => behaviourOf(resource).scale.show(object, version),
  before: (object, version, resource) => behaviourOf(resource).scale.before(object, version),
  put: (object, scale, resource) => behaviourOf(resource).scale.put(object, scale, resource),
  refuseApply: (name, resource) => behaviourOf(resource).scale.refuseApply?.(name) ?? null,
};

/** The view as admission sees it. */
export function formOf(view: View, resource: ServedResource): BodyForm {
  const { group, version, kind } = view.type(resource);
  return { group, version, kind, view: { show: object => view.show(object, object.metadata.resourceVersion ?? '', resource), put: (object, shown) => view.put(object, shown, resource) } };
}

const SINGLE = { collection: false, stream: false } as const;

export const shown = (view: View, resource: ServedResource, stored: StoredObject): ApiObject => view.show(servedObject(resource, stored), String(stored.version), resource);

export const getView = (view: View): VerbHandler => async (context, route, { registry }) => {
  const representation = negotiate(context, SINGLE);
  const stored = await registry.get(targetOf(route), getConsistency(context.query));
  sendDocument(context, representation, shown(view, route.resource, stored));
};

export const updateView = (view: View): VerbHandler => async (context, route, { registry, reader }) => {
  const { resource } = route;
  const representation = negotiate(context, SINGLE);
  const parameters = parseWriteParameters(context.query, 'UpdateOptions');
  const sent = await reader.object(context, view.type(resource), parameters.fieldValidation);
  const target = targetOf(route);
  const change = {
    apply: (current: ApiObject | null): ApiObject => {
      checkIdentity(sent.metadata, target);
      return view.put(current ?? { metadata: {} }, structuredClone(sent), resource);
    },
    subresource: route.subresource?.name ?? '', uid: null, mayCreate: null, form: formOf(view, resource),
  };
  const written = await registry.update(target, change, writeOptions(context, parameters.dryRun, parameters.fieldManager));
  sendDocument(context, representation, shown(view, resource, written.object));
};
