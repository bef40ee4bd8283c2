import type { ApiObject } from '../../../api/object.js';
import { textAt } from '../../../api/json/members.js';
import type { AdmissionRequest } from '../../registry/admission.js';

export const nodes = { group: '', resource: 'nodes' };

interface ChangedPod {
  readonly pod: ApiObject;
  readonly old: ApiObject;
  readonly nodeName: string;
}

/** A pod that is on a node and whose specification is changed, which its generation counts; null for all other requests. */
export function changedOnNode({ operation, object, old }: AdmissionRequest): ChangedPod | null {
  if (operation !== 'UPDATE' || object === null || old === null) return null;
  const nodeName = textAt(object, 'spec', 'nodeName');
  const isChanged = (object.metadata.generation ?? 0) !== (old.metadata.generation ?? 0);
  return nodeName !== '' && isChanged ? { pod: object, old, nodeName } : null;
}
