import type { ApiObject } from '../../api/object.js';
import { textAt } from '../members.js';
import type { Strategy } from '../strategy.js';

const INVOLVED = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'] as const;

const fields = (event: ApiObject): Record<string, string> => ({
  ...Object.fromEntries(INVOLVED.map(member => [`involvedObject.${member}`, textAt(event, 'involvedObject', member)])),
  reason: textAt(event, 'reason'),
  type: textAt(event, 'type'),
  reportingComponent: textAt(event, 'reportingComponent'),
  source: textAt(event, 'source', 'component') || textAt(event, 'reportingComponent'),
});

export const events: Strategy = {
  createsOnUpdate: true,
  selectableFieldNames: [...INVOLVED.map(member => `involvedObject.${member}`), 'reason', 'type', 'reportingComponent', 'source'],
  selectableFields: fields,
};

/** How the newer group names the same fields; the core names are unknown there. */
export const newerEventFields: Readonly<Record<string, string>> = {
  ...Object.fromEntries(INVOLVED.map(member => [`regarding.${member}`, `involvedObject.${member}`])),
  reason: 'reason', type: 'type', reportingController: 'reportingComponent', 'metadata.name': 'metadata.name', 'metadata.namespace': 'metadata.namespace',
};
