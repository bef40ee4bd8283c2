import type { Meter } from './budget.js';
import { NamedFormat } from './functions/formats.js';
import { lengthOf, ListValue, MapValue, sizeOf, type Value } from './values.js';

/** The run-time cost of a call in the reference's units (`CallCost` of its library and of the language). */
export interface CallCost {
  /** Computed from arguments and charged before the call. Counting charges steps to the meter. */
  readonly before: (args: readonly Value[], meter: Meter) => number;
  /** The additional cost of the result. */
  readonly after?: (args: readonly Value[], result: Value) => number;
  /** The cost of an ambiguous overload; default: a unit. */
  readonly ambiguous?: CallCost;
}

const byArguments = (before: CallCost['before']): CallCost => ({ before });
const fixed = (cost: number): CallCost => byArguments(() => cost);
/** Charges a tenth of a unit per character of the first argument, `times` over. */
const traversal = (times: number): CallCost => byArguments(([first = null]) => Math.ceil((sizeOf(first) * times) / 10));
const pattern = byArguments(([text = null, source = null]) => Math.ceil((1 + sizeOf(text)) / 10) * Math.ceil(sizeOf(source) / 4));
const containing = byArguments(([text = null, part = null]) => Math.ceil(sizeOf(text) / 10) * Math.ceil(sizeOf(part) / 10));
const ofResult = (times: number): CallCost => ({ before: () => 0, after: (_, result) => Math.ceil((sizeOf(result) * times) / 10) });
const shorter = byArguments(([one = null, other = null]) => Math.ceil(Math.min(sizeOf(one), sizeOf(other)) / 10));
const whole: CallCost = { before: ([first = null], meter) => treeCost(first, meter, 0) };
/** Added to the cost of the call. */
const product = (times: number): CallCost => byArguments(([one = null, other = null]) => sizeOf(one) * sizeOf(other) * times + 1);
/** The size of the reference's pattern for the format counts. */
const validation = byArguments(
  ([format = null, text = null]) =>
    Math.ceil((1 + sizeOf(text)) / 10) * Math.ceil((format instanceof NamedFormat ? format.patternSize : 0) / 4),
);
/** Conversions between bytes and text are linear, all others constant. */
const ofBytes = byArguments(([from = null]) => (from instanceof Uint8Array ? Math.ceil(from.length / 10) : 1));
const ofText = byArguments(([from = null]) => (typeof from === 'string' ? Math.ceil(lengthOf(from) / 10) : 1));
const listCost = 10;
/** Compares each element with each other one. */
const compared = byArguments(([list = null]) => {
  const [count, first] = [sizeOf(list), list instanceof ListValue && list.length > 0 ? list.at(0) : null];
  const isText = typeof first === 'string' || first instanceof Uint8Array;
  return Math.floor(count ** 2 * (isText ? 2.1 : 2)) + 1 + listCost;
});
const flattened = byArguments(([list = null, depth = 1n]) => Math.floor(sizeOf(list) * Number(depth)) + 1 + listCost);
const made: CallCost = { before: () => 1 + listCost, after: (_, result) => sizeOf(result) };
/** No environment reverses texts. */
const reversed = byArguments(([of = null]) => sizeOf(of) + 1 + listCost);
const firstAndResult: CallCost = {
  before: ([first = null]) => Math.ceil(sizeOf(first) / 10) + 1,
  after: ([first = null], result) => Math.ceil((sizeOf(first) + sizeOf(result)) / 10) - Math.ceil(sizeOf(first) / 10),
};

/** Compares the network's prefix bytes, and parses a text argument. */
const contained = (extra: (bytes: number) => number): CallCost => {
  const compared = (network: Value): number => Math.ceil((sizeOf(network) * 2) / 10) + extra(sizeOf(network));
  return {
    before: ([network = null, other = null]) => compared(network) + (typeof other === 'string' ? Math.ceil(lengthOf(other) / 10) : 0),
    ambiguous: byArguments(([network = null]) => compared(network)),
  };
};
/** Only a text has to be parsed. */
const addressOf = byArguments(([of = null]) => (typeof of === 'string' ? Math.ceil(lengthOf(of) / 10) : 1));

/** One expression can afford two checks. */
const checkCost = 350_000;

const table: readonly (readonly [string, CallCost])[] = [
  ['check', fixed(checkCost)],
  ['isSorted sum min max indexOf lastIndexOf', whole],
  [
    'url lowerAscii upperAscii substring trim cidr isIP isCIDR quantity isQuantity semver isSemver startsWith endsWith strings.quote format jsonpatch.escapeKey',
    traversal(1),
  ],
  ['replace split ip.isCanonical', traversal(2)],
  ['join', ofResult(2)],
  ['string', ofBytes],
  ['bytes', ofText],
  ['find findAll matches', pattern],
  ['contains', containing],
  ['containsIP', contained(() => 0)],
  ['containsCIDR', contained((bytes) => Math.ceil(bytes / 10) + 1)],
  ['_<_ _<=_ _>_ _>=_', shorter],
  ['ip', addressOf],
  ['validate', validation],
  ['sets.contains sets.intersects', product(1)],
  ['sets.equivalent', product(2)],
  ['distinct sort @sortByAssociatedKeys', compared],
  ['flatten', flattened],
  ['slice lists.range', made],
  ['reverse', reversed],
  ['base64.encode base64.decode', firstAndResult],
];
const costs: ReadonlyMap<string, CallCost> = new Map(
  table.flatMap(([names, cost]) => names.split(' ').map((name): [string, CallCost] => [name, cost])),
);
export const nominal = fixed(1);

export const callCost = (name: string): CallCost => costs.get(name) ?? nominal;

const depthMax = 100;

/** Returns the size of a whole value (`traversalCost` of the reference). Joined lists can be too long to traverse. */
function treeCost(value: Value, meter: Meter, depth: number): number {
  meter.step(1);
  if (typeof value === 'string') return Math.floor(Buffer.byteLength(value) / 10);
  if (value instanceof Uint8Array) return Math.floor(value.length / 10);
  if (depth > depthMax) return 1;
  let cost = 0;
  if (value instanceof ListValue) for (let i = 0; i < value.length; i++) cost += treeCost(value.at(i), meter, depth + 1);
  else if (value instanceof MapValue)
    for (const key of value.keys()) cost += treeCost(key, meter, depth + 1) + treeCost(value.get(key) ?? null, meter, depth + 1);
  else return 1;
  return cost;
}
