import type { ApiObject, JsonObject } from '../../api/object.js';
import { selectorText as textOfSelector } from '../../api/selectors.js';
import type { LabelSelector } from '../../api/types/meta/v1.js';
import { conflict, invalidObject } from '../../api/status.js';
import { memberAt, membersOf } from '../../api/json/members.js';
import type { ScaledResource } from './behaviour.js';
import { Path, toCause } from './validation/field.js';
import { validateMetadata } from './validation/metadata.js';
import { subdomainName } from './validation/names.js';
import { nonNegative } from './validation/values.js';
import { inOneGo } from '../../api/steps.js';
import { outcomeOf } from './stepwise.js';

/** One form for all kinds of workloads (`autoscaling/v1 Scale`). */

export function scaleOf(object: ApiObject, version: string): ApiObject {
  const { name = '', namespace = '', uid = '', creationTimestamp = null } = object.metadata;
  const replicas = Number(memberAt(object, 'spec', 'replicas') ?? 0);
  const selector = selectorText(object);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion: version, creationTimestamp },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: Number(memberAt(object, 'status', 'replicas') ?? 0), ...(selector === '' ? {} : { selector }) },
  };
}

/** Older kinds select by a plain map of labels. */
function selectorText(object: ApiObject): string {
  const selector = memberAt(object, 'spec', 'selector');
  const members = membersOf(selector);
  const isMap = Object.values(members).some((value) => typeof value === 'string');
  return textOfSelector((isMap ? { matchLabels: members } : selector) as LabelSelector | undefined);
}

/** Throws 422 or 409. */
export function withScale(object: ApiObject, scale: ApiObject, resource: ScaledResource): ApiObject {
  const { metadata } = scale;
  const name = object.metadata.name ?? '';
  const replicas = memberAt(scale, 'spec', 'replicas') ?? 0;
  metadata.namespace ??= object.metadata.namespace ?? '';
  const findings = [
    ...inOneGo(outcomeOf(validateMetadata(metadata, { namespaced: resource.namespaced, nameRule: subdomainName }))),
    ...nonNegative(replicas, Path.of('spec', 'replicas')),
  ];
  if (findings.length > 0) throw invalidObject({ group: 'autoscaling', kind: 'Scale' }, name, findings.map(toCause));
  const uid = metadata.uid ?? '';
  if (uid !== '' && uid !== object.metadata.uid) {
    throw conflict(
      { group: resource.group, resource: `${resource.resource}/scale` },
      name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${object.metadata.uid ?? ''}`,
    );
  }
  (object['spec'] as JsonObject)['replicas'] = replicas;
  object.metadata.resourceVersion = metadata.resourceVersion ?? '';
  return object;
}
