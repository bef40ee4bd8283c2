import { ensureObject, objectsIn } from '../../api/json/defaulting.js';
import { textAt } from '../../api/json/members.js';
import type { AdmissionPlugin } from '../registry/admission.js';

const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

/** A new node gets no pods until a controller has seen it ready. */
export const taintNodesByCondition = (): AdmissionPlugin => ({
  name: 'TaintNodesByCondition',
  resources: ['nodes'],
  admit({ operation, subresource, object }) {
    if (operation !== 'CREATE' || subresource !== '' || object === null) return;
    const spec = ensureObject(object, 'spec');
    const taints = objectsIn(spec, 'taints');
    if (!taints.some((taint) => textAt(taint, 'key') === notReady.key && textAt(taint, 'effect') === notReady.effect))
      spec['taints'] = [...taints, { ...notReady }];
  },
});
