import type { JsonObject } from '../../../api/object.js';
import type { Step } from '../../golden/recordings.js';
import type { Area, Sequence } from '../area.js';
import { faulty } from '../faults.js';
import type { Random } from '../random.js';
import { ignoredOf, sampledResources, type Sampled } from '../samples.js';

/** Every built-in kind: objects with up to three faults, created and changed by every verb and subresource. */
export const kinds: Area = {
  name: 'kinds',
  about: 'creates, updates, patches, status, scale and tables of every built-in kind, with none to three faults',
  generate(random) {
    const sampled = random.pick(sampledResources());
    return random.chance(0.5) ? creations(sampled, random) : changes(sampled, random);
  },
};

const table = 'application/json;as=Table;g=meta.k8s.io;v=v1,application/json';

const creations = ({ resource, type, path, objects }: Sampled, random: Random): Sequence => ({
  steps: random.upTo(6, (): Step => {
    const body = faulty(random.pick(objects), type, random, random.below(4));
    // Reviews are never stored.
    const dry = resource.verbs.has('get') ? 'dryRun=All&' : '';
    return { do: `POST ${path}?${dry}fieldValidation=${random.pick(['Strict', 'Warn', 'Ignore'])}`, body };
  }),
});

/** Changes one existing object. */
function changes(sampled: Sampled, random: Random): Sequence {
  const { resource, path, objects } = sampled;
  const object = random.pick(objects);
  const created: Step = { do: `POST ${path}`, body: object };
  if (!resource.verbs.has('update')) return { steps: [created] };
  const at = `${path}/${String((object['metadata'] as JsonObject)['name'])}`;
  const ignored = ignoredOf(resource);
  const after = random.upTo(6, (): Step => {
    const step = random.pick(steps)({ ...sampled, object, at }, random);
    return { ...step, ignore: [...(step.ignore ?? []), ...ignored] };
  });
  return { steps: [created, ...after] };
}

interface Target extends Sampled {
  readonly object: JsonObject;
  readonly at: string;
}

type MakeStep = (target: Target, random: Random) => Step;

const dryRun = (random: Random): string => (random.chance(0.5) ? '?dryRun=All' : '');

const update: MakeStep = ({ object, type, at }, random) => ({
  do: `PUT ${at}${dryRun(random)}`,
  body: faulty(object, type, random, random.below(4)),
});

const mergePatch: MakeStep = ({ object, type, at }, random) => {
  const { apiVersion: _, kind: __, metadata: ___, ...rest } = faulty(object, type, random, 1 + random.below(2));
  return { do: `PATCH ${at}${dryRun(random)}`, type: 'application/merge-patch+json', body: rest };
};

const apply: MakeStep = ({ object, type, at }, random) => ({
  do: `PATCH ${at}?fieldManager=applier${random.chance(0.5) ? '&force=true' : ''}${random.chance(0.5) ? '&dryRun=All' : ''}`,
  type: 'application/apply-patch+yaml',
  body: faulty(object, type, random, random.below(3)),
});

/** Uses a subresource, or else the object. */
const subresource: MakeStep = (target, random) => {
  const { resource, object, type, at } = target;
  const names = [...resource.subresources.keys()].filter((name) => writable.has(name));
  if (names.length === 0) return update(target, random);
  const name = random.pick(names);
  if (name === 'scale')
    return {
      do: `PATCH ${at}/scale${dryRun(random)}`,
      type: 'application/merge-patch+json',
      body: { spec: { replicas: random.pick([0, 1, 3, -1, null, 'x', 2 ** 31]) } },
    };
  const within = name === 'status' ? ['status'] : undefined;
  const body = faulty(object, type, random, 1 + random.below(3), within);
  const path = `${at}/${name}${dryRun(random)}`;
  return random.chance(0.6) ? { do: `PUT ${path}`, body } : { do: `PATCH ${path}`, type: 'application/merge-patch+json', body };
};

/** Subresources whose body is the object, and scale. */
const writable: ReadonlySet<string> = new Set(['status', 'scale', 'approval', 'finalize', 'resize', 'ephemeralcontainers']);

/** A single object or a selected list: other cases have objects of the kind too. */
const read: MakeStep = ({ at, path }, random) => {
  const included = random.pick(['', 'includeObject=None', 'includeObject=Object']);
  const listed = `${path}?fieldSelector=metadata.name=${at.slice(path.length + 1)}&`;
  return { do: `GET ${random.pick([`${at}?`, listed])}${included}`, accept: table, ignore: ['/metadata/resourceVersion'] };
};

const remove: MakeStep = ({ at }, random) => ({
  do: `DELETE ${at}?${random.pick(['', 'dryRun=All', 'gracePeriodSeconds=0', 'gracePeriodSeconds=-1', 'propagationPolicy=Foreground', 'propagationPolicy=Orphan'])}`,
});

const steps: readonly MakeStep[] = [update, update, update, mergePatch, mergePatch, apply, subresource, subresource, read, remove];
