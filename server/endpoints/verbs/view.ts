import { timed } from '../../../program/tracing/requestLatency.js';
import type { BodyForm } from '../../registry/admission.js';
import type { ApiObject, JsonObject } from '../../../api/object.js';
import type { StatusError } from '../../../api/status.js';
import { inForm } from '../../kinds/builtIn.js';
import type { UnappliedScale } from '../../registry/behaviour.js';
import { servedObject } from '../../registry/conversion.js';
import { memberAt } from '../../../api/json/members.js';
import { ownScaled } from '../../registry/ownership.js';
import type { ServedResource } from '../../registry/resources.js';
import { checkIdentity } from '../../registry/writes.js';
import type { StoredObject } from '../../storage/contract.js';
import { sendDocument } from '../answers.js';
import type { RequestContext } from '../context.js';
import { negotiate, negotiateWrite, type Representation } from '../negotiation.js';
import { getConsistency } from '../options/listOptions.js';
import { parseWriteParameters } from '../options/writeOptions.js';
import { scaleTable } from '../table/scale.js';
import type { TableForm } from '../table/table.js';
import { targetOf, writeOptions, type VerbHandler } from './deps.js';

export interface View {
  readonly type: (resource: ServedResource) => ServedResource;
  readonly show: (object: ApiObject, version: string, resource: ServedResource) => ApiObject;
  readonly read: (object: ApiObject, version: string, resource: ServedResource) => ApiObject;
  readonly table: (shown: ApiObject, form: TableForm) => JsonObject;
  readonly before: (object: ApiObject, version: string, resource: ServedResource) => ApiObject;
  /** The form can be owned, but not changed. */
  readonly refuseApply: (name: string, resource: ServedResource, why: UnappliedScale) => StatusError | null;
  /** May change both arguments. Throws StatusError. */
  readonly put: (object: ApiObject, shown: ApiObject, resource: ServedResource) => ApiObject;
}

export const scale: View = {
  type: inForm({ group: 'autoscaling', version: 'v1', kind: 'Scale' }),
  show: (object, version, resource) => resource.behaviour.scale.show(object, version),
  read: (object, version, { behaviour: { scale } }) => (scale.read ?? scale.show)(object, version),
  table: scaleTable,
  before: (object, version, resource) => resource.behaviour.scale.before(object, version),
  put: (object, scale, resource) => resource.behaviour.scale.put(object, scale, resource),
  refuseApply: (name, resource, why) => resource.behaviour.scale.refuseApply?.(name, why) ?? null,
};

export function formOf(view: View, resource: ServedResource): BodyForm {
  const { group, version, kind } = view.type(resource);
  return {
    group,
    version,
    kind,
    view: {
      show: (object) => view.show(object, object.metadata.resourceVersion ?? '', resource),
      put: (object, { shown }) => view.put(object, shown, resource),
    },
  };
}

/** Also sets field owners. May change both arguments. Throws StatusError. */
export function putThrough(
  view: View,
  current: ApiObject,
  sent: ApiObject,
  { resource, manager }: { readonly resource: ServedResource; readonly manager: string },
): ApiObject {
  const version = current.metadata.resourceVersion ?? '';
  const managedFields = ownScaled({ resource, live: current }, view.before(current, version, resource), withoutZero(sent), manager);
  const object = view.put(current, sent, resource);
  return { ...object, metadata: { ...object.metadata, managedFields } };
}

/** Zero replicas are shown as an absent number. */
const withoutZero = (scale: ApiObject): ApiObject => (memberAt(scale, 'spec', 'replicas') === 0 ? { ...scale, spec: {} } : scale);

const single = { collection: false, stream: false } as const;

/** `show` is the form after a write; a read may refuse some of it. */
export function sendShown(
  context: RequestContext,
  representation: Representation,
  { table, show }: Pick<View, 'show' | 'table'>,
  { resource, stored }: { readonly resource: ServedResource; readonly stored: StoredObject },
): void {
  const object = show(servedObject(resource, stored), String(stored.version), resource);
  sendDocument(context, representation, object, { table: (form) => table(object, form) });
}

export const getView =
  (view: View): VerbHandler =>
  async (context, route, { registry }) => {
    const representation = negotiate(context, route.resource, single);
    const consistency = getConsistency(context.query);
    const stored = await timed(context.latency, 'etcd', () => registry.get(targetOf(route), consistency));
    sendShown(context, representation, { ...view, show: view.read }, { resource: route.resource, stored });
  };

export const updateView =
  (view: View): VerbHandler =>
  async (context, route, { registry, reader }) => {
    const { resource } = route;
    const representation = negotiateWrite(context, resource);
    const parameters = parseWriteParameters(context.query, 'UpdateOptions');
    const sent = await reader.object(context, view.type(resource), parameters.fieldValidation);
    const target = targetOf(route);
    const options = writeOptions(context, parameters.dryRun, parameters.fieldManager);
    checkIdentity(sent.metadata, target);
    const change = {
      apply: (current: ApiObject | null): ApiObject =>
        putThrough(view, current ?? { metadata: {} }, structuredClone(sent), { resource, manager: options.manager }),
      subresource: route.subresource?.name ?? '',
      uid: null,
      mayCreate: null,
      applies: true,
      form: formOf(view, resource),
    };
    const written = await registry.update(target, change, options);
    sendShown(context, representation, view, { resource, stored: written.object });
  };
