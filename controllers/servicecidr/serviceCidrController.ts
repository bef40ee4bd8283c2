import { isTerminating, keyOf, keyTextOf, nameOf } from '../../api/meta/object.js';
import { timeText } from '../../api/time.js';
import { type IPAddress, ipAddresses, type ServiceCIDR, serviceCIDRs } from '../../api/types/networking/v1.js';
import { contains, parseAddress } from '../addresses/cidr.js';
import { strategicPatch } from '../client/api.js';
import { QueueController, type Controller } from '../client/controller.js';
import { isNotFound, unless } from '../client/errors.js';
import type { ManagerEnvironment } from '../environment.js';
import { busy, finalizer, rangesOf, ready, says, stranded } from './plan.js';

/** Servers may still assign addresses of a deleted range for this time. */
const graceMs = 10_000;
const workers = 5;

/** Marks service address ranges as ready, and keeps them while addresses are in use. */
export function serviceCidrController(environment: ManagerEnvironment): Controller {
  const { api, informers, clock } = environment;
  const { cache } = informers.of(serviceCIDRs);
  const say = async (cidr: ServiceCIDR, said: typeof ready): Promise<void> => {
    if (says(cidr, said)) return;
    const condition = { ...said, lastTransitionTime: timeText(clock.now()) };
    const patch = strategicPatch({ status: { conditions: [condition] } });
    await unless(isNotFound, api.patch(serviceCIDRs, keyOf(cidr), patch, { subresource: 'status' }));
  };
  const sync = async (key: string): Promise<void | { againAfterMs: number }> => {
    const cidr = cache.get(key);
    if (!cidr) return;
    const { finalizers = [], deletionTimestamp } = cidr.metadata;
    if (!isTerminating(cidr)) {
      const held = finalizers.includes(finalizer)
        ? cidr
        : await api.update(serviceCIDRs, { ...cidr, metadata: { ...cidr.metadata, finalizers: [...finalizers, finalizer] } });
      await say(held, ready);
      return;
    }
    if (!finalizers.includes(finalizer)) return;
    if (stranded(cidr, cache.list(), informers.of(ipAddresses).cache.list()).length > 0) {
      await say(cidr, busy);
      return;
    }
    const leftMs = Date.parse(deletionTimestamp ?? '') + graceMs - clock.now();
    if (leftMs > 0) return { againAfterMs: leftMs };
    // The cache may lag behind the servers' assignments.
    if (stranded(cidr, cache.list(), (await api.list(ipAddresses)).items).length > 0) return { againAfterMs: graceMs };
    const kept = finalizers.filter((name) => name !== finalizer);
    await unless(isNotFound, api.update(serviceCIDRs, { ...cidr, metadata: { ...cidr.metadata, finalizers: kept } }));
  };
  const controller: QueueController = new QueueController(environment, { name: 'service-cidr-controller', workers, sync });
  const others = (of: ServiceCIDR): void => {
    for (const each of cache.list()) if (isTerminating(each) && nameOf(each) !== nameOf(of)) controller.queue.add(keyTextOf(each));
  };
  controller.watch(serviceCIDRs);
  controller.needs(serviceCIDRs).addHandlers({ added: others });
  const freed = (address: IPAddress): void => {
    const value = parseAddress(nameOf(address));
    for (const each of cache.list())
      if (isTerminating(each) && value && rangesOf(each).some((range) => contains(range, value))) controller.queue.add(keyTextOf(each));
  };
  controller.needs(ipAddresses).addHandlers({ removed: freed });
  return controller;
}
