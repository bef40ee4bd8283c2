import { parseFieldSelector, parseLabelSelector, type FieldSelector, type LabelSelector } from '../../../api/selectors/index.js';
import { badRequest, plainError } from '../../../api/status.js';
import type { ServedResource } from '../../registry/resources.js';
import { forbidden, notSupported, Path, type FieldError } from '../../registry/validation/field.js';
import { versionProblem } from '../../registry/writes.js';
import type { Consistency } from '../../storage/contract.js';
import { nameSelected } from '../../storage/matching.js';
import type { ShardSelector } from '../../../api/shards.js';
import { checkedFields } from '../fieldSelectors.js';
import { decodeContinue, type ContinuePosition } from './continueToken.js';
import { parseShardSelector } from './shardSelector.js';
import { booleanParameter, integerParameter, refuseFindings } from './values.js';

export interface ListOptions {
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
  readonly shard: ShardSelector | null;
  readonly consistency: Consistency;
  readonly limit: number | null;
  readonly after: ContinuePosition | null;
  /** A continued list has another message for an expired version. */
  readonly continuing: boolean;
}

export interface WatchOptions {
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
  readonly shard: ShardSelector | null;
  /** Unparsed: empty, "0", or a version. */
  readonly resourceVersion: string;
  readonly initialEvents: boolean;
  readonly initialEventsEnd: boolean;
  readonly bookmarks: boolean;
  readonly timeoutSeconds: number | null;
}

const matches = ['Exact', 'NotOlderThan'] as const;
type Match = (typeof matches)[number] | '';
const matchPath = Path.of('resourceVersionMatch');
const sendInitial = Path.of('sendInitialEvents');

interface Raw {
  readonly resourceVersion: string;
  readonly match: string;
  readonly token: string;
  readonly limit: number | null;
  readonly timeoutSeconds: number | null;
  readonly sendInitialEvents: boolean | null;
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
  readonly shard: ShardSelector | null;
}

export interface ListTerms {
  /** Gate `ShardedListAndWatch`: without it `shardSelector` is an unknown parameter. Default: off. */
  readonly shards?: boolean;
  /** A whole list from memory is as cheap as a page. Default true. */
  readonly cached?: boolean;
}

/** Parses all parameters in the reference's order before checking any. */
function read(query: URLSearchParams, { shards = false }: ListTerms): Raw {
  const timeoutSeconds = integerParameter(query, 'timeoutSeconds');
  const limit = integerParameter(query, 'limit');
  return {
    timeoutSeconds,
    limit: limit === null || limit <= 0 ? null : limit,
    resourceVersion: query.get('resourceVersion') ?? '',
    match: query.get('resourceVersionMatch') ?? '',
    token: query.get('continue') ?? '',
    sendInitialEvents: booleanParameter(query, 'sendInitialEvents'),
    ...parseSelectors(query),
    shard: shards ? parseShardSelector(query.get('shardSelector') ?? '') : null,
  };
}

type ScopedTerms = ListTerms & { readonly namespace: string | null };

/** Throws 400 or 422. */
export const parseListOptions = (query: URLSearchParams, resource: ServedResource, terms: ScopedTerms): ListOptions =>
  placedLater(query, resource, terms)();

/** The same, but parses version and token only when the result is called, at the point where the reference does. */
export function placedLater(
  query: URLSearchParams,
  resource: ServedResource,
  { namespace, cached = true, ...terms }: ScopedTerms,
): () => ListOptions {
  const raw = read(query, terms);
  refuseFindings('ListOptions', listFindings(raw));
  const selection = selectionOf(raw, resource);
  return () => placed(raw, selection, resource, { namespace, cached });
}

function placed(
  raw: Raw,
  selection: ReturnType<typeof selectionOf>,
  resource: ServedResource,
  { namespace, cached }: { readonly namespace: string | null; readonly cached: boolean },
): ListOptions {
  if (raw.token !== '') return { ...selection, ...continued(raw, resource, { namespace, cached }), continuing: true };
  const limit = cached && raw.resourceVersion === '0' ? null : raw.limit;
  return { ...selection, consistency: consistencyOf(raw), limit, after: null, continuing: false };
}

export interface WatchTerms extends ListTerms {
  /** Gate `WatchList`. Default: on. */
  readonly watchList?: boolean;
  readonly name?: string;
}

/**
 * The older paths turn a list into a watch, with options checked as those of a list. Throws 400, 422 or, as the reference does for a version that is not a
 * number, 500.
 */
export function parseWatchOptions(
  query: URLSearchParams,
  resource: ServedResource,
  { watchList = true, name = '', ...terms }: WatchTerms = {},
): WatchOptions {
  const raw = read(query, terms);
  const { resourceVersion, sendInitialEvents } = raw;
  const olderPath = booleanParameter(query, 'watch') !== true;
  refuseFindings('ListOptions', olderPath ? listFindings(raw) : watchFindings(raw, watchList));
  const { fields, ...selection } = selectionOf(raw, resource);
  const problem = resourceVersion === '' ? null : versionProblem(resourceVersion);
  if (problem !== null) throw plainError(500, `resourceVersion: Invalid value: ${JSON.stringify(resourceVersion)}: ${problem}`);
  return {
    ...selection,
    fields: ofOneObject(fields, name),
    resourceVersion,
    initialEvents: sendInitialEvents ?? Number(resourceVersion) === 0,
    initialEventsEnd: sendInitialEvents ?? (watchList && !olderPath && startsWithState(raw)),
    bookmarks: booleanParameter(query, 'allowWatchBookmarks') === true,
    timeoutSeconds: raw.timeoutSeconds,
  };
}

/** The name selector must name the path's object. */
function ofOneObject(fields: FieldSelector, name: string): FieldSelector {
  if (name === '') return fields;
  if (fields.length === 0) return [{ field: 'metadata.name', equals: true, value: name }];
  if (nameSelected(fields) !== name) throw badRequest("fieldSelector metadata.name doesn't match requested name");
  return fields;
}

/** Other spellings of zero do not count. */
const startsWithState = ({ sendInitialEvents, match, resourceVersion }: Raw): boolean =>
  sendInitialEvents === null && match === '' && (resourceVersion === '' || resourceVersion === '0');

const unsupportedMatch = (match: string): FieldError[] =>
  (matches as readonly string[]).includes(match) ? [] : [notSupported(matchPath, match, [...matches, ''])];

const listFindings = (raw: Raw): FieldError[] => [
  ...matchFindings(raw),
  ...(raw.sendInitialEvents === null ? [] : [forbidden(sendInitial, 'sendInitialEvents is forbidden for list')]),
];

function matchFindings({ match, resourceVersion, token }: Raw): FieldError[] {
  if (match === '') return [];
  return [
    ...(resourceVersion === '' ? [forbidden(matchPath, 'resourceVersionMatch is forbidden unless resourceVersion is provided')] : []),
    ...(token === '' ? [] : [forbidden(matchPath, 'resourceVersionMatch is forbidden when continue is provided')]),
    ...unsupportedMatch(match),
    ...(match === 'Exact' && resourceVersion === '0'
      ? [forbidden(matchPath, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"')]
      : []),
  ];
}

/** The gate makes a watch from the current state count as having resourceVersionMatch. */
function watchFindings(raw: Raw, watchList: boolean): FieldError[] {
  const { match, sendInitialEvents, token } = raw;
  const given = match !== '';
  const found: readonly (readonly [boolean, FieldError])[] = [
    [
      sendInitialEvents !== null && match !== 'NotOlderThan',
      forbidden(matchPath, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'),
    ],
    [
      sendInitialEvents !== null && !watchList,
      forbidden(sendInitial, 'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled'),
    ],
    [
      given && sendInitialEvents === null,
      forbidden(matchPath, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'),
    ],
    [given && match !== 'NotOlderThan', notSupported(matchPath, match, ['NotOlderThan'])],
    [
      (given || (watchList && startsWithState(raw))) && token !== '',
      forbidden(matchPath, 'resourceVersionMatch is forbidden when continue is provided'),
    ],
  ];
  return found.filter(([applies]) => applies).map(([, error]) => error);
}

function parseSelectors(query: URLSearchParams): { labels: LabelSelector; fields: FieldSelector } {
  const labels = parseLabelSelector(query.get('labelSelector') ?? '');
  if (!labels.ok) throw badRequest(labels.message);
  const fields = parseFieldSelector(query.get('fieldSelector') ?? '');
  if (!fields.ok) throw badRequest(fields.message);
  return { labels: labels.selector, fields: fields.selector };
}

const selectionOf = ({ labels, fields, shard }: Raw, resource: ServedResource): Pick<ListOptions, 'labels' | 'fields' | 'shard'> => ({
  labels,
  shard,
  fields: checkedFields(fields, resource),
});

function continued(
  raw: Raw,
  resource: ServedResource,
  { namespace, cached }: { readonly namespace: string | null; readonly cached: boolean },
): Pick<ListOptions, 'consistency' | 'limit' | 'after'> {
  const { version, position } = decodeContinue(raw.token, resource.namespaced && namespace === null, namespace ?? '');
  if (raw.resourceVersion !== '' && raw.resourceVersion !== '0')
    throw badRequest('specifying resource version is not allowed when using continue');
  const consistency: Consistency = version === null ? { at: 'mostRecent' } : { at: 'exact', version };
  return { consistency, limit: cached && raw.resourceVersion === '0' ? null : raw.limit, after: position };
}

function consistencyOf({ resourceVersion, match, limit }: Raw): Consistency {
  if (resourceVersion === '') return { at: 'mostRecent' };
  const problem = versionProblem(resourceVersion);
  if (problem !== null)
    throw badRequest(`invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(resourceVersion)}: ${problem}`);
  const version = Number(resourceVersion);
  if (version === 0) return { at: 'any' };
  return isExact(match as Match, limit) ? { at: 'exact', version } : { at: 'notOlderThan', version };
}

const isExact = (match: Match, limit: number | null): boolean => match === 'Exact' || (match === '' && limit !== null);

/** Throws 500 for a version that is not a number, as the reference does. */
export function getConsistency(query: URLSearchParams): Consistency {
  const resourceVersion = query.get('resourceVersion') ?? '';
  if (resourceVersion === '') return { at: 'mostRecent' };
  const problem = versionProblem(resourceVersion);
  if (problem !== null) throw plainError(500, `resourceVersion: Invalid value: ${JSON.stringify(resourceVersion)}: ${problem}`);
  return Number(resourceVersion) === 0 ? { at: 'any' } : { at: 'notOlderThan', version: Number(resourceVersion) };
}
