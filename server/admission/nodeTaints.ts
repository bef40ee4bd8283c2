import { ensureObject, objectsIn } from '../registry/defaulting.js';
import { textAt } from '../registry/members.js';
import type { AdmissionPlugin } from './contract.js';

const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

/** A new node takes no pods until a controller has seen that it is ready. */
export const taintNodesByCondition = (): AdmissionPlugin => ({
  name: 'TaintNodesByCondition',
  resources: ['nodes'],
  admit({ operation, subresource, object }) {
    if (operation !== 'CREATE' || subresource !== '' || object === null) return;
    const spec = ensureObject(object, 'spec');
    const taints = objectsIn(spec, 'taints');
    if (!taints.some((taint) => textAt(taint, 'key') === NOT_READY.key && textAt(taint, 'effect') === NOT_READY.effect))
      spec['taints'] = [...taints, { ...NOT_READY }];
  },
});
