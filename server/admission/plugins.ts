import type { Storage } from '../storage/contract.js';
import type { AdmissionPlugin } from './contract.js';
import { defaultIngressClass } from './ingressClass.js';
import { limitRanger } from './limits/limitRanger.js';
import { createLookup } from './lookup.js';
import { taintNodesByCondition } from './nodeTaints.js';
import { defaultTolerationSeconds } from './pods/defaultTolerations.js';
import { priority } from './pods/priority.js';
import { runtimeClass } from './pods/runtimeClass.js';
import { serviceAccount } from './pods/serviceAccount.js';
import { podTopologyLabels } from './pods/topologyLabels.js';
import { resourceQuota } from './quota/resourceQuota.js';
import { claimResize, defaultStorageClass, storageInUseProtection } from './volumes/storageClass.js';

export interface PluginOptions {
  readonly storage: Storage;
  /** Numbers in [0, 1), for generated names. */
  readonly random?: () => number;
}

/** The steps of admission in their order, which is that of the reference: later ones see what earlier ones have added. */
export function createPlugins({ storage, random = Math.random }: PluginOptions): readonly AdmissionPlugin[] {
  const lookup = createLookup(storage);
  return [
    limitRanger(lookup),
    serviceAccount(lookup, random),
    taintNodesByCondition(),
    priority(lookup),
    defaultTolerationSeconds(),
    defaultStorageClass(lookup),
    storageInUseProtection(),
    claimResize(lookup),
    runtimeClass(lookup),
    defaultIngressClass(lookup),
    podTopologyLabels(lookup),
    // Last: nothing may refuse the write after it has been charged for.
    resourceQuota(storage),
  ];
}
