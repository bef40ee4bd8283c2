import { keyOf, keyTextOf, nameOf, uidOf } from '../../api/meta/object.js';
import { type Node, nodes } from '../../api/types/core/v1.js';
import { cidrText, parseCidr, type Cidr } from '../addresses/cidr.js';
import { strategicPatch } from '../client/api.js';
import { QueueController, type Controller } from '../client/controller.js';
import { isNotFound, unless } from '../client/errors.js';
import { versionless } from '../client/events.js';
import type { ManagerEnvironment } from '../environment.js';
import { maskOf } from './masks.js';
import { RangePool } from './rangePool.js';

const workers = 30;

const rangesOf = ({ spec }: Node): readonly Cidr[] =>
  (spec?.podCIDRs ?? (spec?.podCIDR ? [spec.podCIDR] : [])).flatMap((text) => parseCidr(text) ?? []);

/** Assigns each node a pod range per family of the cluster. */
export function nodeRangeController(environment: ManagerEnvironment): Controller | null {
  const { api, events, informers, measures, options } = environment;
  if (!options['allocate-node-cidrs']) return null;
  const ranges = (options['cluster-cidr'] ?? '').split(',').flatMap((text) => parseCidr(text) ?? []);
  const pools = ranges.map((range) => new RangePool(range, maskOf(range.family, ranges.length, options)));
  for (const text of (options['service-cluster-ip-range'] ?? '').split(',')) {
    const service = parseCidr(text);
    if (service) for (const pool of pools) pool.occupy(service);
  }
  const { cache } = informers.of(nodes);
  const tell = (): void => {
    for (const pool of pools) {
      const labels = { clusterCIDR: cidrText(pool.range) };
      measures.set('node_ipam_controller_cidrset_usage_cidrs', labels, pool.taken / pool.count);
      measures.set('node_ipam_controller_cirdset_max_cidrs', labels, pool.count);
    }
  };
  const release = (given: readonly Cidr[]): void => {
    for (const range of given)
      for (const pool of pools) {
        pool.release(range);
        if (pool.range.family === range.family)
          measures.count('node_ipam_controller_cidrset_cidrs_releases_total', { clusterCIDR: cidrText(pool.range) });
      }
    tell();
  };
  /** Nodes with written ranges not in the cache yet, which must not get more. */
  const written = new Set<string>();
  const sync = async (key: string): Promise<void> => {
    const node = cache.get(key);
    if (!node || rangesOf(node).length > 0 || written.has(uidOf(node))) return;
    const given = pools.map((pool) => pool.take());
    const all = given.flatMap((range) => range ?? []);
    if (all.length < pools.length) {
      release(all);
      events.normal(versionless(node), 'CIDRNotAvailable', `Node ${nameOf(node)} status is now: CIDRNotAvailable`);
      throw new Error(`no range is left for ${nameOf(node)}`);
    }
    const podCIDRs = all.map(cidrText);
    try {
      const patch = strategicPatch({ spec: { podCIDR: podCIDRs[0], podCIDRs } });
      if ((await unless(isNotFound, api.patch(nodes, keyOf(node), patch))) === null) release(all);
      else written.add(uidOf(node));
    } catch (error) {
      release(all);
      events.normal(versionless(node), 'CIDRAssignmentFailed', `Node ${nameOf(node)} status is now: CIDRAssignmentFailed`);
      throw error;
    }
    for (const pool of pools) measures.count('node_ipam_controller_cidrset_cidrs_allocations_total', { clusterCIDR: cidrText(pool.range) });
    tell();
  };
  const controller: QueueController = new QueueController(environment, { name: 'cidrallocator_node', workers, sync });
  const occupy = (node: Node): void => {
    for (const range of rangesOf(node)) for (const pool of pools) pool.occupy(range);
    tell();
  };
  controller.needs(nodes).addHandlers({
    // Existing ranges enter the pools first; work begins afterwards.
    added: (node) => {
      occupy(node);
      controller.queue.add(keyTextOf(node));
    },
    changed: (_, after) => {
      if (rangesOf(after).length === 0) controller.queue.add(keyTextOf(after));
      else written.delete(uidOf(after));
    },
    removed: (node) => {
      written.delete(uidOf(node));
      release(rangesOf(node));
      // A node with a "no range left" event may get this one.
      for (const other of cache.list()) if (rangesOf(other).length === 0) controller.queue.add(keyTextOf(other));
    },
  });
  return controller;
}
