import type { Step } from '../../golden/recordings.js';
import type { Area, Sequence } from '../area.js';
import type { Random } from '../random.js';
import { created, encoded, fieldSelector, keys, kinds, labelsOf, names, requirement, values } from './lists.js';

/** Watch events of objects that enter, change within and leave a selection. */
export const watches: Area = {
  name: 'watches',
  about: 'initial events, bookmarks, selectors whose objects change, versions to begin from, ends, finalizers and refusals of watches',
  generate: (random) => random.pick([watched, watched, watched, refused])(random),
};

type Kind = (typeof kinds)[number];
const merge = 'application/merge-patch+json';

const selection = (kind: Kind, random: Random): string =>
  random.pick([
    () => `labelSelector=${encoded(requirement(random))}`,
    () => `labelSelector=${encoded(requirement(random))}`,
    () => `fieldSelector=${encoded(fieldSelector(kind, random))}`,
    () => `labelSelector=${encoded(requirement(random))}&fieldSelector=metadata.name!=c`,
    () => `fieldSelector=metadata.name=${random.pick(names)}`,
    () => '',
  ])();

const beginnings = [
  'resourceVersion=0',
  'resourceVersion=${version}',
  'resourceVersion=${version}',
  '',
  'sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan',
  'sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&resourceVersion=${version}',
  'sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&resourceVersion=0',
  'sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
  'sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=${version}',
  'sendInitialEvents=false&resourceVersionMatch=NotOlderThan',
  'allowWatchBookmarks=true&resourceVersion=0',
  'allowWatchBookmarks=true&resourceVersion=${version}',
  'limit=1',
] as const;

const change = (kind: Kind, random: Random): Step => {
  const at = `${kind.path}/${random.pick(names)}`;
  const relabelled = (): Step => ({
    do: `PATCH ${at}`,
    type: merge,
    body: { metadata: { labels: Object.fromEntries(keys.slice(0, 3).map((key) => [key, random.pick([...values, null])])) } },
  });
  return random.pick<() => Step>([
    relabelled,
    relabelled,
    () => ({ do: `PATCH ${at}`, type: merge, body: { metadata: { annotations: { x: random.pick(['1', '2']) } } } }),
    () => ({ do: `PATCH ${at}`, type: merge, body: { metadata: { finalizers: random.pick([['example.com/a'], null]) } } }),
    () => ({ do: `POST ${kind.path}`, body: kind.object(random.pick(names), labelsOf(random), random) }),
    () => ({ do: `DELETE ${at}?gracePeriodSeconds=0` }),
    () => ({ do: `DELETE ${kind.path}?labelSelector=app` }),
  ])();
};

const ignored = ['/metadata/managedFields', '/metadata/resourceVersion'] as const;

function watched(random: Random): Sequence {
  const kind = random.pick(kinds);
  const query = [
    `timeoutSeconds=${random.pick(['20', '20', '20', '1'])}`,
    random.pick(beginnings),
    selection(kind, random),
    ...(random.chance(0.1) ? ['pretty=true'] : []),
  ];
  return {
    steps: [
      ...created(kind, random),
      ...(random.chance(0.3) ? [change(kind, random)] : []),
      { watch: `${kind.path}?watch=1&${query.filter((part) => part !== '').join('&')}`, name: 'w' },
      ...random.upTo(5, () => change(kind, random)).map((step): Step => ({ ...step, keep: ['/kind'] })),
      { events: 'w', count: 0, ignore: ignored },
    ],
  };
}

/** Conflicting options and invalid values. */
function refused(random: Random): Sequence {
  const kind = random.pick(kinds);
  const option = (): string =>
    random.pick([
      `resourceVersion=${random.pick(['x', '-1', '1.5', '18446744073709551616', ''])}`,
      `resourceVersionMatch=${random.pick(['Exact', 'NotOlderThan', 'x', ''])}`,
      `sendInitialEvents=${random.pick(['true', 'false', 'x', ''])}`,
      `allowWatchBookmarks=${random.pick(['true', 'x'])}`,
      `timeoutSeconds=${random.pick(['1', 'x', '-1', ''])}`,
      `limit=${random.pick(['1', 'x'])}`,
      `continue=x`,
      `fieldSelector=${encoded(fieldSelector(kind, random))}`,
      `labelSelector=${encoded(random.pick(['a b', 'a in', '=', '!']))}`,
    ]);
  const path = `${kind.path}${random.chance(0.2) ? '/a' : ''}`;
  return {
    steps: random.times(2, () => ({ do: `GET ${path}?watch=1&timeoutSeconds=1&${random.upTo(3, option).join('&')}`, ignore: ignored })),
  };
}
