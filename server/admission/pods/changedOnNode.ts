import type { ApiObject } from '../../../api/object.js';
import { textAt } from '../../../api/json/members.js';
import type { AdmissionRequest } from '../../registry/admission.js';

export const nodes = { group: '', resource: 'nodes' };

interface ChangedPod {
  readonly pod: ApiObject;
  readonly old: ApiObject;
  readonly nodeName: string;
}

/** Returns null unless the request changes the specification (and generation) of a pod on a node. */
export function changedOnNode({ operation, object, old }: AdmissionRequest): ChangedPod | null {
  if (operation !== 'UPDATE' || object === null || old === null) return null;
  const nodeName = textAt(object, 'spec', 'nodeName');
  const isChanged = (object.metadata.generation ?? 0) !== (old.metadata.generation ?? 0);
  return nodeName !== '' && isChanged ? { pod: object, old, nodeName } : null;
}
