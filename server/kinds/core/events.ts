import type * as v1 from '../../../api/types/core/v1.js';
import {
  age,
  atOnce,
  fieldsAt,
  format,
  inOrder,
  invalid,
  memberAt,
  members,
  membersOf,
  missing,
  nonZero,
  objectRules,
  optional,
  orEmpty,
  orZero,
  Path,
  pathSegmentName,
  printedAs,
  qualified,
  required,
  sameValue,
  subdomainName,
  textAt,
  when,
  type ApiObject,
  type Cells,
  type Check,
  type Draft,
  type Found,
  type JsonValue,
  type Kind,
  type ObjectMeta,
  type Review,
  type ServedAs,
  type Writable,
} from '../language.js';
import type { ShortPathIn } from '../../registry/memberPath.js';
import { eventConversion } from '../events.k8s.io/conversion.js';

const involved = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'] as const;
const newerGroup = 'events.k8s.io/v1';
const shortTextMax = 128;
const messageMax = 1024;

const bounded =
  (max: number): Check<string> =>
  (text, path) =>
    Buffer.byteLength(text) > max ? [invalid(path, '', `can have at most ${max} characters`)] : [];

const reporter = (nameInGroup: string): ((event: Draft<v1.Event>) => Found) =>
  objectRules<v1.Event>({
    reportingComponent: orEmpty((name) => {
      const path = Path.of(nameInGroup);
      return [...(name === '' ? [missing(path, '')] : []), ...qualified(name, path)];
    }),
    reportingInstance: required(bounded(shortTextMax)),
    action: required(bounded(shortTextMax)),
    reason: required(bounded(shortTextMax)),
    message: nonZero(bounded(messageMax)),
  });
const [reporterInCore, reporterInGroup] = [reporter('reportingComponent'), reporter('reportingController')];

function validateStyle(event: Draft<v1.Event>, { apiVersion }: ServedAs): Found {
  const involved = event.involvedObject?.namespace ?? '';
  const own = event.metadata.namespace ?? '';
  const newer = (event.eventTime ?? '') !== '';
  const clusterWide = newer ? ['default', 'kube-system'] : ['', 'default'];
  const matches = involved === '' ? clusterWide.includes(own) : newer || involved === own;
  return inOrder(
    matches ? [] : [invalid(Path.of('involvedObject', 'namespace'), involved, 'does not match event.namespace')],
    newer ? (apiVersion === newerGroup ? reporterInGroup : reporterInCore)(event) : [],
  );
}

const series = optional(
  members<v1.EventSeries>({
    count: orZero((count, path) => (count < 2 ? [invalid(path, '', 'should be at least 2')] : [])),
    lastObservedTime: required(),
  }),
);
const validateSeries = objectRules<v1.Event>({ series });

const unset: Check<unknown> = (_, path) => [invalid(path, '', 'needs to be unset')];
const validateNewer = objectRules<v1.Event>({
  // The core group accepts any name.
  metadata: members<Pick<ObjectMeta, 'name'>>({ name: nonZero(format(subdomainName)) }),
  series,
  eventTime: required(),
  type: orEmpty((type, path) => (['Normal', 'Warning'].includes(type) ? [] : [invalid(path, '', `has invalid value: ${type}`)])),
  firstTimestamp: nonZero(unset),
  lastTimestamp: nonZero(unset),
  count: nonZero(unset),
  source: optional(when(({ component, host }: Writable<v1.EventSource>) => (component || host || '') !== '', unset)),
});

/** The core group checks metadata only where nothing else is wrong. */
function validateNew(event: Draft<v1.Event>, ofMetadata: () => Found, servedAs: ServedAs): Found {
  const findings = validateStyle(event, servedAs);
  if (servedAs.apiVersion === newerGroup) return inOrder(findings, ofMetadata(), validateNewer(event));
  return atOnce(findings).length > 0 ? findings : ofMetadata();
}

/** Only the series may change in the newer group. The reference checks the reason twice. */
const immutable = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'reason',
  'type',
  'eventTime',
  'action',
  'related',
  'reportingComponent',
  'reportingInstance',
] as const;
const printedReference = (value: JsonValue | undefined): JsonValue => printedAs('core.v1.ObjectReference', value);
const printedText = (value: JsonValue | undefined): JsonValue => value ?? '';
const orNull = (value: JsonValue | undefined): JsonValue => value ?? null;

const printedMembers: Readonly<Partial<Record<(typeof immutable)[number], (value: JsonValue | undefined) => JsonValue>>> = {
  involvedObject: printedReference,
  related: (value) => (value === undefined || value === null ? null : printedReference(value)),
  source: (value) => printedAs('core.v1.EventSource', value),
  firstTimestamp: orNull,
  lastTimestamp: orNull,
  eventTime: orNull,
  count: (value) => value ?? 0,
};

/** Members whose empty forms are equal. */
const empty = (value: JsonValue | undefined): unknown =>
  value === null || value === '' || value === 0 || (typeof value === 'object' && Object.keys(membersOf(value)).length === 0)
    ? undefined
    : value;

/** An empty reference is not a missing one. */
const comparable = (member: (typeof immutable)[number], event: Draft<v1.Event>): unknown =>
  member === 'related' ? (event.related ?? null) : empty(event[member]);

/** Only the newer group checks metadata again. */
function validateUpdate(event: Draft<v1.Event>, old: Draft<v1.Event>, { servedAs, metadata }: Review): Found {
  const findings = validateStyle(event, servedAs);
  if (servedAs.apiVersion !== newerGroup) return findings;
  return inOrder(
    findings,
    metadata.update(),
    sameValue(event.series ?? null, old.series ?? null) ? [] : validateSeries(event),
    immutable
      .filter((member) => !sameValue(comparable(member, event), comparable(member, old)))
      .map((member) =>
        invalid(
          Path.of(member === 'reportingComponent' ? 'reportingController' : member),
          (printedMembers[member] ?? printedText)(event[member]),
          'field is immutable',
        ),
      ),
  );
}

const newerFields: Readonly<Record<string, ShortPathIn<Draft<v1.Event>>>> = {
  ...Object.fromEntries(involved.map((member) => [`regarding.${member}`, `involvedObject.${member}` as const])),
  reason: 'reason',
  type: 'type',
  reportingController: 'reportingComponent',
  'metadata.name': 'metadata.name',
  'metadata.namespace': 'metadata.namespace',
};

function eventSource(event: ApiObject): string {
  // The two groups name this differently.
  const component =
    textAt(event, 'source', 'component') ||
    textAt(event, 'deprecatedSource', 'component') ||
    textAt(event, 'reportingComponent') ||
    textAt(event, 'reportingController');
  const host = textAt(event, 'source', 'host') || textAt(event, 'deprecatedSource', 'host') || textAt(event, 'reportingInstance');
  return host === '' ? component : `${component}, ${host}`;
}

const eventTime = (event: ApiObject, ...members: readonly string[]): JsonValue | undefined =>
  members.map((member) => event[member]).find((time) => typeof time === 'string');

const eventCells = (involved: string, message: string): Cells => ({
  'Last Seen': (event, now) =>
    age(
      memberAt(event, 'series', 'lastObservedTime') ??
        eventTime(event, 'lastTimestamp', 'deprecatedLastTimestamp', 'firstTimestamp', 'eventTime'),
      now,
    ),
  Type: (event) => textAt(event, 'type'),
  Reason: (event) => textAt(event, 'reason'),
  Object: (event) => {
    const [kind, name] = [textAt(event, involved, 'kind').toLowerCase(), textAt(event, involved, 'name')];
    return name === '' ? kind : `${kind}/${name}`;
  },
  Subobject: (event) => textAt(event, involved, 'fieldPath'),
  Source: eventSource,
  Message: (event) => textAt(event, message).trim(),
  'First Seen': (event, now) => age(eventTime(event, 'firstTimestamp', 'deprecatedFirstTimestamp', 'eventTime'), now),
  Count: (event) => Number(textAt(event, 'series', 'count') || textAt(event, 'count') || textAt(event, 'deprecatedCount') || 1),
});

/** Both groups are views of one set of objects, stored in the core form. */
export const events: Kind<Draft<v1.Event>> = {
  name: 'events',
  views: ['events.events.k8s.io'],
  versions: { [newerGroup]: { conversion: eventConversion, fieldNames: newerFields, cells: eventCells('regarding', 'note') } },
  metadata: { name: pathSegmentName },
  delete: { propagation: 'none' },
  create: { review: validateNew },
  update: { creates: true, review: [validateUpdate] },
  fields: {
    values: {
      ...fieldsAt<Draft<v1.Event>>(
        ...involved.map((member) => `involvedObject.${member}` as const),
        'reason',
        'type',
        'reportingComponent',
      ),
      source: (event) => textAt(event, 'source', 'component') || textAt(event, 'reportingComponent'),
    },
  },
  cells: eventCells('involvedObject', 'message'),
};
