import type { Event } from '../../../api/types/core/v1.js';
import type { ApiObject, JsonObject, JsonValue } from '../../../api/object.js';
import type { ShortPathIn } from '../../registry/memberPath.js';
import { objectAt } from '../../../api/json/defaulting.js';
import { sameValue } from '../../../api/json/equality.js';
import { memberAt, membersOf, textAt } from '../../../api/json/members.js';
import type { Review, ServedAs } from '../../registry/rules.js';
import { invalid, Path, required, type FieldError } from '../../registry/validation/field.js';
import { printedStructure, texts } from '../../registry/validation/internalform.js';
import { pathSegmentName, qualifiedNameProblems, subdomainName } from '../../registry/validation/names.js';
import { age, type Cells } from '../cells.js';
import { eventConversion } from '../events.k8s.io/conversion.js';
import { fieldsAt } from '../fields.js';
import type { Draft, Kind } from '../kind.js';
import { inOrder, type Found } from '../../registry/validation/ofEach.js';

const involved = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'] as const;
const newerGroup = 'events.k8s.io/v1';
const shortTextMax = 128;
const messageMax = 1024;
const types: ReadonlySet<string> = new Set(['Normal', 'Warning']);

const isSet = (event: Draft<Event>, member: keyof Event): boolean => textAt(event, member) !== '';

function validateStyle(event: Draft<Event>, servedAs: ServedAs): FieldError[] {
  const involved = textAt(event, 'involvedObject', 'namespace');
  const own = event.metadata.namespace ?? '';
  const newer = isSet(event, 'eventTime');
  const clusterWide = newer ? ['default', 'kube-system'] : ['', 'default'];
  const matches = involved === '' ? clusterWide.includes(own) : newer || involved === own;
  return [
    ...(matches ? [] : [invalid(Path.of('involvedObject', 'namespace'), involved, 'does not match event.namespace')]),
    ...(newer ? validateReporter(event, servedAs.apiVersion === newerGroup ? 'reportingController' : 'reportingComponent') : []),
  ];
}

function validateReporter(event: Draft<Event>, nameInGroup: string): FieldError[] {
  const controller = textAt(event, 'reportingComponent');
  const bounded = (member: keyof Event, max: number): FieldError[] =>
    Buffer.byteLength(textAt(event, member)) > max ? [invalid(Path.of(member), '', `can have at most ${max} characters`)] : [];
  const needed = (member: keyof Event): FieldError[] => [
    ...(isSet(event, member) ? [] : [required(Path.of(member), '')]),
    ...bounded(member, shortTextMax),
  ];
  return [
    ...(controller === '' ? [required(Path.of(nameInGroup), '')] : []),
    ...qualifiedNameProblems(controller).map((text) => invalid(Path.of(nameInGroup), controller, text)),
    ...needed('reportingInstance'),
    ...needed('action'),
    ...needed('reason'),
    ...bounded('message', messageMax),
  ];
}

function validateSeries(event: Draft<Event>): FieldError[] {
  const series = objectAt(event, 'series');
  if (series === null) return [];
  return [
    ...(Number(series.count ?? 0) < 2 ? [invalid(Path.of('series', 'count'), '', 'should be at least 2')] : []),
    ...(textAt(series, 'lastObservedTime') === '' ? [required(Path.of('series', 'lastObservedTime'), '')] : []),
  ];
}

const older: readonly (readonly [member: string, isUsed: (event: Draft<Event>) => boolean])[] = [
  ['firstTimestamp', (event) => isSet(event, 'firstTimestamp')],
  ['lastTimestamp', (event) => isSet(event, 'lastTimestamp')],
  ['count', (event) => Number(event.count ?? 0) !== 0],
  ['source', (event) => (['component', 'host'] as const).some((member) => textAt(event, 'source', member) !== '')],
];

/** The core group checks metadata only where nothing else is wrong. */
function validateNew(event: Draft<Event>, ofMetadata: () => Found, servedAs: ServedAs): Found {
  const findings = validateStyle(event, servedAs);
  if (servedAs.apiVersion !== newerGroup) return findings.length > 0 ? findings : ofMetadata();
  const type = textAt(event, 'type');
  const name = event.metadata.name ?? '';
  return inOrder(
    findings,
    ofMetadata(),
    // The core group accepts any name.
    (name === '' ? [] : subdomainName(name, false)).map((text) => invalid(Path.of('metadata', 'name'), name, text)),
    validateSeries(event),
    isSet(event, 'eventTime') ? [] : [required(Path.of('eventTime'), '')],
    types.has(type) ? [] : [invalid(Path.of('type'), '', `has invalid value: ${type}`)],
    older.filter(([, isUsed]) => isUsed(event)).map(([member]) => invalid(Path.of(member), '', 'needs to be unset')),
  );
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
const reference = texts('kind', 'namespace', 'name', 'uid=UID', 'apiVersion=APIVersion', 'resourceVersion', 'fieldPath');
const printedReference = (value: JsonValue | undefined): JsonValue => printedStructure(value, reference);
const printedText = (value: JsonValue | undefined): JsonValue => value ?? '';
const orNull = (value: JsonValue | undefined): JsonValue => value ?? null;

/** Formats members other than texts for messages. */
const printedAs: Readonly<Partial<Record<(typeof immutable)[number], (value: JsonValue | undefined) => JsonValue>>> = {
  involvedObject: printedReference,
  related: (value) => (value === undefined || value === null ? null : printedReference(value)),
  source: (value) => printedStructure(value, texts('component', 'host')),
  firstTimestamp: orNull,
  lastTimestamp: orNull,
  eventTime: orNull,
  count: (value) => value ?? 0,
};

/** Members whose empty forms are equal. */
const empty = (value: JsonObject[string]): unknown =>
  value === null || value === '' || value === 0 || (typeof value === 'object' && Object.keys(membersOf(value)).length === 0)
    ? undefined
    : value;

/** Only the newer group checks metadata again. */
function validateUpdate(event: Draft<Event>, old: Draft<Event>, { servedAs, metadata }: Review): Found {
  const findings = validateStyle(event, servedAs);
  if (servedAs.apiVersion !== newerGroup) return findings;
  return inOrder(
    findings,
    metadata.update(),
    sameValue(event.series ?? null, old.series ?? null) ? [] : validateSeries(event),
    immutable
      .filter((member) => !sameValue(empty(event[member]), empty(old[member])))
      .map((member) =>
        invalid(
          Path.of(member === 'reportingComponent' ? 'reportingController' : member),
          (printedAs[member] ?? printedText)(event[member]),
          'field is immutable',
        ),
      ),
  );
}

const newerFields: Readonly<Record<string, ShortPathIn<Draft<Event>>>> = {
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
  Object: (event) => `${textAt(event, involved, 'kind').toLowerCase()}/${textAt(event, involved, 'name')}`,
  Subobject: (event) => textAt(event, involved, 'fieldPath'),
  Source: eventSource,
  Message: (event) => textAt(event, message).trim(),
  'First Seen': (event, now) => age(eventTime(event, 'firstTimestamp', 'deprecatedFirstTimestamp', 'eventTime'), now),
  Count: (event) => Number(textAt(event, 'series', 'count') || textAt(event, 'count') || textAt(event, 'deprecatedCount') || 1),
});

/** Both groups are views of one set of objects, stored in the core form. */
export const events: Kind<Draft<Event>> = {
  name: 'events',
  views: ['events.events.k8s.io'],
  versions: { [newerGroup]: { conversion: eventConversion, fieldNames: newerFields, cells: eventCells('regarding', 'note') } },
  metadata: { name: pathSegmentName },
  delete: { propagation: 'none' },
  create: { review: validateNew },
  update: { creates: true, review: [validateUpdate] },
  fields: {
    values: {
      ...fieldsAt<Draft<Event>>(...involved.map((member) => `involvedObject.${member}` as const), 'reason', 'type', 'reportingComponent'),
      source: (event) => textAt(event, 'source', 'component') || textAt(event, 'reportingComponent'),
    },
  },
  cells: eventCells('involvedObject', 'message'),
};
