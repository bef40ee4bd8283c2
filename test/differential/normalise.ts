import { isObject } from '../../api/json/json.js';
import { parsed } from '../golden/connection.js';
import { withoutDistribution } from '../golden/variation.js';

/** Further members that comparisons ignore: generated names, addresses and ages in tables, and volumes of the other server's distribution. */
export const normalised = (value: unknown): unknown => withoutChosen(withoutDistribution(value));

/** The suffix of a pod's account volume. */
const accountVolume = /kube-api-access-[a-z0-9]{5}/g;
/** A version in the message of an unmet precondition. */
const versionInText = /(ResourceVersion in (?:record|the precondition)) \(\d+\)/g;
/** The type of a rule's `self`, whose name varies. */
const typeOfRule = /\bselfType\d+/g;
/** A duplicate port in a service's message. */
const chosenPort = /(nodePort: Duplicate value: |duplicate nodePort: \{\w+ )\d+/g;
/** The address of a service that changes its family. */
const chosenAddress = /(Invalid value: ")[\d.]+(": expected an IPv6 value)/g;
/** A source in the diff of two pods that a refusal shows, with its position. */
const distributionSource =
  /,\n[-+ ] {5}\{\n(?:[-+ ] {6}"\w+": null,\n)*[-+ ] {6}"ConfigMap": \{\n[-+ ] {7}"Name": "openshift-service-ca\.crt",[\s\S]*?\n[-+ ] {5}\}/g;
const lineNumbers = /@@ -\d+(,\d+)? \+\d+(,\d+)? @@/g;
/** The source of a scheme, whose folder depends on the build. */
const schemeSource = /(in scheme ")[^"]*(pkg\/api\/legacyscheme\/scheme\.go:)/g;
/** The server's address in the YAML form of `/api`. */
const serverAddress = /serverAddress: \S+/g;
const address = /^(\d{1,3}\.){3}\d{1,3}$|^[0-9a-f:]*::[0-9a-f:]*$/;

/** An age of a few minutes, which depends on earlier requests. */
const age = /^(\d+m)?\d+s$/;
const shownCell = (cell: unknown): unknown =>
  typeof cell !== 'string' ? cell : address.test(cell) ? '<ip>' : age.test(cell) ? '<age>' : cell;

function withoutChosen(value: unknown): unknown {
  if (typeof value === 'string')
    return withoutOrder(value)
      .replace(accountVolume, 'kube-api-access-<suffix>')
      .replace(versionInText, '$1 (<rv>)')
      .replace(schemeSource, '$1$2')
      .replace(serverAddress, 'serverAddress: <ip>')
      .replace(chosenPort, '$1<port>')
      .replace(chosenAddress, '$1<ip>$2')
      .replace(typeOfRule, 'selfType')
      .replace(distributionSource, '')
      .replace(lineNumbers, '@@');
  if (Array.isArray(value)) return value.map(withoutChosen);
  if (!isObject(value)) return value;
  if (typeof value['openapi'] === 'string') return withoutProse(value);
  if (typeof value['text'] === 'string' && value['text'].startsWith(eventStart)) return eventsOf(value['text']);
  return Object.fromEntries(
    Object.entries(value['kind'] === 'Status' ? withoutSuffix(value) : value).map(([name, member]) => [
      name,
      Array.isArray(member) && Object.hasOwn(lists, name) ? lists[name]?.(member, value) : withoutChosen(member),
    ]),
  );
}

/** Rules by name for members whose items have a special form or order. */
const lists: Readonly<Record<string, (items: readonly unknown[], parent: Readonly<Record<string, unknown>>) => unknown>> = {
  cells: (items) => items.map(shownCell),
  warning: (items) => sortedRuns(items.map(withoutChosen), formatOfWarning),
  events: (items) =>
    sortedRuns(items.filter(isEventOfObject).map(withoutChosen), (event) => (isOfDeletion(event) ? 'deletion' : ''), nameInEvent),
  causes: (items, { group }) => sortedRuns(items.map(withoutPort).map(withoutChosen), isCustom(group) ? () => 'all' : fieldOfCause),
};

/** Bookmarks but those that end initial events come when the server chooses. */
const isEventOfObject = (event: unknown): boolean =>
  !isObject(event) || event['type'] !== 'BOOKMARK' || JSON.stringify(event).includes('"k8s.io/initial-events-end"');
const eventStart = '{"type":"';
/** The events of a watch that ended, as one object where bookmarks leave one. */
function eventsOf(text: string): unknown {
  const events = text.trimEnd().split('\n').map(eventIn).filter(isEventOfObject).map(withoutChosen);
  return events.length === 1 ? events[0] : { events };
}
/** Long texts are cut. */
function eventIn(line: string): unknown {
  const event = parsed(line);
  return isObject(event) && typeof event['text'] === 'string' ? line : event;
}
/** A server may delete the objects of a collection at once. */
const isOfDeletion = (event: unknown): boolean =>
  isObject(event) && (event['type'] === 'DELETED' || metadataOf(event)['deletionTimestamp'] !== undefined);
const nameInEvent = (event: unknown): string => String(metadataOf(event)['name']);

function metadataOf(event: unknown): Readonly<Record<string, unknown>> {
  const object = isObject(event) ? event['object'] : undefined;
  const metadata = isObject(object) ? object['metadata'] : undefined;
  return isObject(metadata) ? metadata : {};
}

/** Schema properties have no order. */
const formatOfWarning = (warning: unknown): string => (String(warning).includes('unrecognized format') ? 'format' : '');
const isCustom = (group: unknown): boolean => String(group).endsWith('.example.com');

/** The suffix of a generated name in a refusal. Other names lose the same on both sides. */
function withoutSuffix(status: object): object {
  const { details } = status as { readonly details?: { readonly name?: unknown } };
  const name = JSON.stringify(details?.name ?? '').slice(1, -1);
  return generatedSuffix.test(name) ? (JSON.parse(JSON.stringify(status).replaceAll(name, name.slice(0, -5))) as object) : status;
}
const generatedSuffix = /[bcdfghjklmnpqrstvwxz2456789]{5}$/;

const withoutPort = (cause: unknown): unknown =>
  isObject(cause) && String(cause['field']).endsWith('odePort')
    ? { ...cause, message: String(cause['message']).replace(duplicatePort, '$1<port>') }
    : cause;
const duplicatePort = /^(Duplicate value: )\d+$/;

/** An OpenAPI document without descriptions, and with ordered sets. */
function withoutProse(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutProse);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, member]) => !(name === 'description' && typeof member === 'string') && name !== 'info')
      .map(([name, member]) => [name, Array.isArray(member) ? sortedSets(name, member) : withoutProse(member)]),
  );
}

const sets: ReadonlySet<string> = new Set(['required', 'parameters', 'x-kubernetes-group-version-kind']);
const sortedSets = (name: string, members: readonly unknown[]): unknown[] => {
  const shown = members.map(withoutProse);
  return sets.has(name) ? shown.map((each) => JSON.stringify(each)).sort() : shown;
};

/** Findings in maps (labels, annotations, quantities, data) have Go's random order. */
const unorderedFields = /^(metadata|spec\.template)\.(labels|annotations)$/;
const ofAmounts = /^(?:\w[\w.[\]]*\.(?:hard|limits|requests)|data|binaryData)(?=\[)/;
const firstUnordered = /(metadata|spec\.template)\.(labels|annotations): |\w[\w.[\]]*\.(hard|limits|requests)\[|\b(data|binaryData)\[/;
const nextFinding = /, (?=(?:<nil>|\.?[a-z][\w .[\]/:-]*): )/;
/** So do those in properties of custom objects. */
const customObject = /^[\w.]+\.[\w${}-]+\.example\.com ".*?" is invalid: \[/;

/** The reference visits the amounts of a limit range in random order. */
const ofLimits = /^(pods "[^"]*" is forbidden: \[)((?:(?:minimum|maximum) .*)+)\]$/;

/** Sorts a message's findings, which begin with their field. */
function withoutOrder(text: string): string {
  const [, start, limits] = ofLimits.exec(text) ?? [];
  if (limits !== undefined)
    return `${start}${limits
      .split(/, (?=minimum|maximum)/)
      .sort()
      .join(', ')}]`;
  const custom = customObject.exec(text)?.[0];
  if (custom !== undefined) return custom + text.slice(custom.length).replace(/]$/, '').split(nextFinding).sort().join(', ');
  const begin = text.search(firstUnordered);
  if (begin < 0 || !nextFinding.test(text)) return text;
  const findings = text.slice(begin).replace(/]$/, '').split(nextFinding);
  return text.slice(0, begin) + sortedRuns(findings, fieldOfFinding).join(', ');
}

const fieldOfFinding = (text: string): string => unordered(text.split(': ')[0]);
const fieldOfCause = (cause: unknown): string => unordered(isObject(cause) ? cause['field'] : undefined);
const unordered = (field: unknown): string =>
  typeof field !== 'string' ? '' : unorderedFields.test(field) ? field : ((ofAmounts.exec(field) ?? ofDefault.exec(field))?.[0] ?? '');
/** Findings about a default follow its members. */
const ofDefault = /^.*openAPIV3Schema.*\.default(?=\.|\[|$)/;

/** Sorts runs of neighbours that have the same non-empty key. */
function sortedRuns<T>(values: readonly T[], keyOf: (value: T) => string, orderOf: (value: T) => string = JSON.stringify): T[] {
  const runs: T[][] = [];
  for (const value of values) {
    const last = runs.at(-1);
    if (last?.[0] !== undefined && keyOf(value) !== '' && keyOf(last[0]) === keyOf(value)) last.push(value);
    else runs.push([value]);
  }
  return runs.flatMap((run) => (run.length < 2 ? run : run.sort((a, b) => compareTexts(orderOf(a), orderOf(b)))));
}

/** Equal texts stay in their order. */
const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
