import { Counter, Gauge, type Registry } from 'prom-client';
import type { GroupResource } from '../../../api/resource.js';
import { CacheCounts } from './counts.js';
import type { Version } from '../contract.js';

interface CountedCache {
  readonly counts: CacheCounts;
  readonly version: Version;
}

export interface CacheOptions {
  readonly resources: () => readonly GroupResource[];
  readonly counts: (resource: GroupResource) => CountedCache | null;
}

type Labels = Readonly<Record<string, string>>;
interface Counted {
  readonly name: string;
  readonly help: string;
  readonly read: (counts: CacheCounts) => readonly (readonly [number, Labels])[];
}

const one = (value: number, labels: Labels = {}): readonly (readonly [number, Labels])[] => [[value, labels]];
/** Lists use no index: objects are sorted by namespace and name. */
const noIndex: Labels = { index: '' };

const counters: readonly Counted[] = [
  {
    name: 'apiserver_cache_list_total',
    help: 'Lists that were answered from memory.',
    read: ({ lists }) => one(lists, noIndex),
  },
  {
    name: 'apiserver_cache_list_fetched_objects_total',
    help: 'Objects that such lists have looked at.',
    read: ({ looked }) => one(looked, noIndex),
  },
  {
    name: 'apiserver_cache_list_returned_objects_total',
    help: 'Objects that such lists have given.',
    read: ({ given }) => one(given),
  },
  {
    name: 'apiserver_watch_cache_events_received_total',
    help: 'Changes that came from the store.',
    read: ({ changes }) => one(changes),
  },
  {
    name: 'apiserver_watch_cache_events_dispatched_total',
    help: 'Changes that whoever watches was shown: all that came, at once.',
    read: ({ changes }) => one(changes),
  },
  {
    name: 'apiserver_watch_cache_initializations_total',
    help: 'States of the store that were loaded as a whole.',
    read: ({ loads }) => one(loads),
  },
  {
    name: 'apiserver_watch_cache_consistent_read_total',
    help: 'Lists of the newest state, by whether memory came to it in time. None goes to the store instead.',
    read: ({ newest, newestMissed }) => [
      [newest, { success: 'true', fallback: 'false' }],
      [newestMissed, { success: 'false', fallback: 'false' }],
    ],
  },
];

const nothing = new CacheCounts();

/** Exposes counts under the reference's names, read at each scrape. */
export function exposeCaches(registry: Registry, { resources, counts }: CacheOptions): void {
  const known = (): { readonly labels: Labels; readonly counts: CacheCounts; readonly version: Version }[] =>
    resources().flatMap(({ group, resource }) => {
      const counted = counts({ group, resource });
      return counted === null ? [] : [{ labels: { group, resource }, ...counted }];
    });
  for (const { name, help, read } of counters) {
    const further = Object.keys(read(nothing)[0]?.[1] ?? {});
    new Counter({
      name,
      help,
      labelNames: ['group', 'resource', ...further],
      registers: [registry],
      collect() {
        this.reset();
        for (const { labels, counts: counted } of known())
          for (const [value, more] of read(counted)) if (value > 0) this.inc({ ...labels, ...more }, value);
      },
    });
  }
  new Gauge({
    name: 'apiserver_watch_cache_resource_version',
    help: 'The version of the store that memory has come to.',
    labelNames: ['group', 'resource'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { labels, version } of known()) this.set(labels, version);
    },
  });
}
