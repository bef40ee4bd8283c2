import { isObject } from '../../../api/json/json.js';
import type { JsonObject, JsonValue } from '../../../api/object.js';
import type { Step } from '../../golden/recordings.js';
import type { Area, Sequence } from '../area.js';
import { faulty } from '../faults.js';
import { all, of, some, type Make } from '../grammar.js';
import type { Random } from '../random.js';
import type { ResourceNames } from '../../../server/registry/resources.js';
import { ignoredOf, sampledResources } from '../samples.js';
import { builtInTargets, customTargets, type Target } from '../targets.js';

/** Several managers apply and update one object; field owners are read after every step. */
export const apply: Area = {
  name: 'apply',
  about: 'appliers and updates of one object by several managers, through subresources too, and the owners of its fields',
  generate(random) {
    const way = random.below(10);
    if (way < 4) return sequence(random.pick(builtInTargets), random);
    if (way < 7) return sequence(random.pick(customTargets), random);
    return sequence(sampled(random), random);
  },
};

function sequence(target: Target, random: Random): Sequence {
  const { path, body } = target;
  const first: Step = random.chance(0.7)
    ? step(applied, target, random)
    : { do: `POST ${path}?fieldManager=${manager(random)}`, body: body(random) };
  return { steps: [...(target.before ?? []), first, ...random.upTo(6, () => step(random.pick(steps), target, random))] };
}

type MakeStep = (target: Target, random: Random) => Step;
const step = (make: MakeStep, target: Target, random: Random): Step => make(target, random);
const manager = (random: Random): string => random.pick(['a', 'b', 'c']);
const at = ({ path, name }: Target): string => `${path}/${name}`;
const dry = (random: Random): string => (random.chance(0.1) ? '&dryRun=All' : '');

const applied: MakeStep = (target, random) => {
  const { body, other } = target;
  const query = `?fieldManager=${manager(random)}${random.chance(0.5) ? '&force=true' : ''}${dry(random)}`;
  const type = 'application/apply-patch+yaml';
  if (other !== undefined && random.chance(0.3))
    return { do: `PATCH ${other.path}/${target.name}${query}`, type, body: { ...body(random), apiVersion: other.apiVersion } };
  return { do: `PATCH ${at(target)}${query}`, type, body: body(random) };
};

const updated: MakeStep = (target, random) => ({
  do: `PUT ${at(target)}?fieldManager=${manager(random)}${dry(random)}`,
  body: (target.whole ?? target.body)(random),
});

const merged: MakeStep = (target, random) => {
  const { apiVersion: _, kind: __, metadata, ...rest } = target.body(random);
  const labels = isObject<JsonObject>(metadata) ? metadata['labels'] : undefined;
  return {
    do: `PATCH ${at(target)}?fieldManager=${manager(random)}${dry(random)}`,
    type: random.chance(0.7) || target.before !== undefined ? 'application/merge-patch+json' : 'application/strategic-merge-patch+json',
    body: labels === undefined ? rest : { ...rest, metadata: { labels } },
  };
};

const throughSubresource: MakeStep = (target, random) => {
  if (target.subresources.length === 0) return applied(target, random);
  const name = random.pick(target.subresources);
  const path = `${at(target)}/${name}?fieldManager=${manager(random)}${random.chance(0.5) ? '&force=true' : ''}${dry(random)}`;
  const body = name === 'scale' ? scale(target.name)(random) : target.body(random);
  const way = random.below(3);
  if (way === 0) return { do: `PATCH ${path}`, type: 'application/apply-patch+yaml', body };
  if (way === 1)
    return { do: `PUT ${path.replace('&force=true', '')}`, body: name === 'scale' ? body : (target.whole ?? target.body)(random) };
  const { apiVersion: _, kind: __, metadata: ___, ...rest } = body;
  return { do: `PATCH ${path.replace('&force=true', '')}`, type: 'application/merge-patch+json', body: rest };
};

const scale = (name: string): Make<JsonObject> =>
  all({
    apiVersion: of('autoscaling/v1'),
    kind: of('Scale'),
    metadata: all({ name: of(name), namespace: of('${ns}') }),
    spec: some({ replicas: of(0, 1, 2, 3) }, {}, 0.9),
  });

/** Removes or renames managers, or sets them directly. */
const managersWritten: MakeStep = (target, random) => {
  const path = `PATCH ${at(target)}?fieldManager=${manager(random)}`;
  const way = random.below(3);
  if (way === 0)
    return {
      do: path,
      type: 'application/merge-patch+json',
      body: { metadata: { managedFields: random.pick<JsonValue>([[], [{}], null]) } },
    };
  // Replaces the whole list, because its order depends on the time of writes.
  const entry = {
    manager: 'a',
    operation: 'Update',
    apiVersion: 'v1',
    time: '2020-01-01T00:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:metadata': { 'f:labels': { 'f:a': {} } } },
    ...random.pick<JsonObject>([
      { manager: random.pick(['a', 'b', 'c', 'd', '']) },
      { operation: random.pick(['Apply', 'Update', 'x']) },
      { fieldsV1: random.pick<JsonObject>([{}, { 'f:nowhere': {} }, { x: {} }]) },
      { apiVersion: random.pick(['v1', 'apps/v1', 'example.com/v9']) },
      { subresource: random.pick(['status', 'scale', '']) },
      { time: null },
    ]),
  };
  const change = { op: 'add', path: '/metadata/managedFields', value: random.chance(0.2) ? [entry, entry] : [entry] };
  return { do: path, type: 'application/json-patch+json', body: [change] };
};

const read: MakeStep = (target, random) => ({
  do: `GET ${random.chance(0.3) && target.other !== undefined ? target.other.path : target.path}/${target.name}`,
});
const removed: MakeStep = (target) => ({ do: `DELETE ${at(target)}` });

const steps: readonly MakeStep[] = [
  ...[applied, applied, applied, applied, applied, applied, updated, updated, merged, merged],
  ...[throughSubresource, throughSubresource, throughSubresource, managersWritten, read, removed],
];

/** The servers name the administrator differently in certificate requests; other objects have momentary owners. */
const isWrittenByServers = (resource: ResourceNames): boolean =>
  resource.resource === 'certificatesigningrequests' || ignoredOf(resource).length > 0;

/** Any kind, with valid members. */
function sampled(random: Random): Target {
  const applicable = sampledResources().filter(({ resource }) => resource.verbs.has('patch') && !isWrittenByServers(resource));
  const { resource, type, path, objects } = random.pick(applicable);
  const object = random.pick(objects);
  return {
    path,
    name: String((object['metadata'] as JsonObject)['name']),
    body: (choices) => thinned(faulty(object, type, choices, choices.below(3)), choices),
    whole: (choices) => faulty(object, type, choices, choices.below(3)),
    subresources: [...resource.subresources.keys()].filter((name) => ['status', 'scale', 'approval'].includes(name)),
  };
}

/** An object without some members: appliers may omit any. */
function thinned(object: JsonObject, random: Random): JsonObject {
  if (random.chance(0.4)) return object;
  const { apiVersion, kind, metadata, ...rest } = object;
  return { apiVersion: apiVersion ?? null, kind: kind ?? null, metadata: metadata ?? null, ...(fewer(rest, random) as JsonObject) };
}

function fewer(value: JsonValue, random: Random): JsonValue {
  if (!isObject<JsonObject>(value)) return value;
  const kept = Object.entries(value).filter(() => !random.chance(0.15));
  return Object.fromEntries(kept.map(([name, member]) => [name, fewer(member ?? null, random)]));
}
