import { entryOf } from '../../api/json/members.js';
import { Correlation } from '../../api/meta/correlation.js';
import { isObject } from '../../api/json/json.js';
import { turns } from '../../workers/turns/turns.js';
import { type Steps } from '../../api/steps.js';
import type { JsonObject, JsonValue } from '../../api/object.js';
import { requestCostMax } from '../eval/budget.js';
import { oldItems } from './correlation.js';
import type { CompileRules, RulesVerdict } from './contract.js';
import { Findings, judge, type NodeRules } from './judge.js';
import { compileMessage, compileRule, rulesOf } from './rule.js';
import { untimed, type RuleTimes } from './times.js';
import { escapedName } from './names.js';
import { itemsOf, propertiesOf, restOf, shapeOf, type Shape } from './shape.js';

interface Node {
  readonly schema: JsonObject;
  readonly rules: NodeRules | null;
  readonly items: Node | null;
  readonly rest: Node | null;
  readonly properties: ReadonlyMap<string, Node>;
}

/** Schemas nest as deeply as JSON does. */
const depthMax = 200;

export const compileRules: CompileRules = (schema, times = untimed) => {
  const begun = performance.now();
  const node = nodeOf(schema, shapeOf(schema, true), 0);
  if (node === null) return { isEmpty: true, verdict: () => ({ causes: [], warnings: [] }) };
  times.compiled(secondsSince(begun));
  return { isEmpty: false, verdict: (object, old) => turns.run(timed(verdict(node, object, old), times)) };
};

const secondsSince = (begun: number): number => (performance.now() - begun) / 1000;

/** Returns null without rules in or below the schema. The shape is the visible part of the value; null when nothing is visible. */
function nodeOf(schema: JsonObject, shape: Shape | null, depth: number): Node | null {
  if (depth > depthMax) return null;
  const below = (part: JsonObject | null): Node | null => (part === null ? null : nodeOf(part, shape?.element ?? null, depth + 1));
  const properties = new Map(
    visibleProperties(schema, shape).flatMap(([name, property, seen]): [string, Node][] => {
      const node = nodeOf(property, seen, depth + 1);
      return node === null ? [] : [[name, node]];
    }),
  );
  const node: Node = { schema, rules: nodeRules(schema, shape), properties, items: below(itemsOf(schema)), rest: below(restOf(schema)) };
  return node.rules === null && node.items === null && node.rest === null && properties.size === 0 ? null : node;
}

/** Omits rules in and below invisible properties, as in the reference. */
const visibleProperties = (schema: JsonObject, shape: Shape | null): [string, JsonObject, Shape][] =>
  propertiesOf(schema).flatMap(([name, property]): [string, JsonObject, Shape][] => {
    const escaped = escapedName(name);
    const seen = escaped === null ? shapeOf(property, false) : shape?.fields?.get(escaped);
    return seen == null ? [] : [[name, property, seen]];
  });

function nodeRules(schema: JsonObject, shape: Shape | null): NodeRules | null {
  const rules = rulesOf(schema);
  if (rules.length === 0) return null;
  if (shape === null) return { schema, shape };
  return {
    shape,
    schema,
    rules: rules.map((rule) => ({ ...rule, compiled: compileRule(rule, shape), messages: compileMessage(rule, shape) })),
  };
}

function* verdict(node: Node, object: JsonObject, old: JsonObject | null): Steps<RulesVerdict> {
  const findings = new Findings(requestCostMax);
  const past = pastOf(Correlation.ofObject(node.schema), object, old ?? undefined);
  yield* walk(node, findings, { path: '', value: object, old: old ?? undefined, past, unchanged: past?.unchanged ?? never });
  return { causes: findings.causes, warnings: findings.warnings };
}

/** A value and its old value; undefined without a counterpart. */
interface Place {
  readonly path: string;
  readonly value: JsonValue | undefined;
  readonly old: JsonValue | undefined;
  /** Null for a value without an old counterpart. */
  readonly past: Past | null;
  /** Whether the value, or its nearest ancestor with an old counterpart, is unchanged. */
  readonly unchanged: () => boolean;
}

/** The old value, and access to old values within. Rules compare with `old`, which may differ: omitted keys have defaults there. */
interface Past {
  readonly correlation: Correlation;
  readonly old: JsonValue;
  readonly unchanged: () => boolean;
}

const never = (): boolean => false;

function pastOf(correlation: Correlation | null | undefined, value: JsonValue | undefined, old: JsonValue | undefined): Past | null {
  if (correlation == null || value === undefined || old === undefined) return null;
  let same: boolean | undefined;
  return { correlation, old, unchanged: () => (same ??= correlation.isUnchanged(value, old)) };
}

function* walk(node: Node, findings: Findings, place: Place): Steps<void> {
  const { value } = place;
  if (value === undefined || value === null || findings.over) return;
  if (node.rules !== null) {
    judge(node.rules, value, place, findings);
    if (findings.takesTurn()) yield;
  }
  if (Array.isArray(value)) yield* walkItems(node, findings, place, value);
  else if (typeof value === 'object') yield* walkMembers(node, findings, place, value);
}

function* walkItems(
  { items, schema }: Node,
  findings: Findings,
  { path, old, past, unchanged }: Place,
  value: readonly JsonValue[],
): Steps<void> {
  if (items === null) return;
  const before = oldItems(schema, old);
  const found = past?.correlation.oldItems(past.old);
  for (const [position, item] of value.entries()) {
    // An item without an old counterpart is unchanged only with the whole list, even a set.
    const itemPast = pastOf(past?.correlation.items, item, found?.(item));
    yield* walk(items, findings, {
      path: `${path}[${position}]`,
      value: item,
      old: before(item),
      past: itemPast,
      unchanged: itemPast?.unchanged ?? unchanged,
    });
  }
}

function* walkMembers(
  { rest, properties }: Node,
  findings: Findings,
  { path, old, past, unchanged }: Place,
  value: JsonObject,
): Steps<void> {
  const before = isObject<JsonObject>(old) ? old : null;
  const inside = (name: string, at: string): Place => {
    const memberPast = pastOf(
      past?.correlation.member(name),
      value[name],
      isObject<JsonObject>(past?.old) ? entryOf(past.old, name) : undefined,
    );
    return {
      path: at,
      value: value[name],
      old: (before === null ? undefined : entryOf(before, name)) ?? undefined,
      past: memberPast,
      unchanged: memberPast?.unchanged ?? unchanged,
    };
  };
  if (rest !== null) for (const name of Object.keys(value)) yield* walk(rest, findings, inside(name, `${path}[${name}]`));
  for (const [name, property] of properties)
    if (Object.hasOwn(value, name)) yield* walk(property, findings, inside(name, path === '' ? name : `${path}.${name}`));
}

/** Measures the work's time, without turns of other requests. */
function* timed(steps: Steps<RulesVerdict>, times: RuleTimes): Steps<RulesVerdict> {
  for (let seconds = 0; ;) {
    const begun = performance.now();
    const next = steps.next();
    seconds += secondsSince(begun);
    if (next.done === true) {
      times.evaluated(seconds);
      return next.value;
    }
    yield;
  }
}
