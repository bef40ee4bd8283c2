import type { JsonObject } from '../../api/object.js';
import { most, capped } from '../estimate/sizes.js';
import { compileMessage, compileRule, rulesOf, type CompiledExpression } from './rule.js';
import { itemsOf, propertiesOf, requestBytesMax, restOf, shapeOf } from './shape.js';
import { type Steps } from '../../api/steps.js';

/** Checks the rules of a definition's schema: expressions that do not match it, or could cost too much. */

/** The reference's limits, in its units of cost. */
const expressionEstimateMax = 10_000_000;
const schemaEstimateMax = 100_000_000;
const namedMax = 4;
/** Cheaper expressions are not named as part of an excessive total. */
const namedCostMin = schemaEstimateMax / 100;

/** `at` is the path below the schema, as in messages: `.properties[spec].x-kubernetes-validations[0].rule`. */
export type RuleFinding = { readonly at: string; readonly detail: string } & (
  | { readonly kind: 'forbidden' }
  /** A single expression, where `forbidden` stands for all together. */
  | { readonly kind: 'costly' }
  /** `value` null stands for the rule as a whole (`rule`). */
  | { readonly kind: 'invalid'; readonly value: string | boolean | null; readonly rule: JsonObject }
);

interface Place {
  readonly at: string;
  readonly isRoot: boolean;
  /** Null for no limit. */
  readonly count: number | null;
  /** The path of the schema whose values lack counterparts, or null. */
  readonly blurred: string | null;
}

/** `skips` returns whether the schema at a path (below the root) contains errors, so that its types are meaningless. `root` is the root's path in messages. */
export function* reviewRules(schema: JsonObject, root: string, skips: (at: string) => boolean): Steps<RuleFinding[]> {
  const review = new Review(root, skips);
  yield* review.schema(schema, { at: '', isRoot: true, count: 1, blurred: null });
  return [...review.findings, ...review.total()];
}

/** Schemas without rules that are checked in one step. */
const stepSchemas = 200;

class Review {
  readonly #root: string;
  readonly #skips: (at: string) => boolean;
  readonly findings: RuleFinding[] = [];
  #total = 0;
  #schemas = 0;
  #dearest: { readonly at: string; readonly cost: number }[] = [];

  constructor(root: string, skips: (at: string) => boolean) {
    this.#root = root;
    this.#skips = skips;
  }

  *schema(schema: JsonObject, place: Place): Steps<void> {
    const [items, rest] = [itemsOf(schema), restOf(schema)];
    const within = (schemaMax: unknown): number | null =>
      typeof schemaMax === 'number' && place.count !== null ? capped(place.count * Math.max(0, schemaMax)) : null;
    // Members of maps, even atomic ones, have counterparts by name (`MapIsCorrelatable`).
    const { blurred } = place;
    for (const [name, property] of propertiesOf(schema))
      yield* this.schema(property, { at: `${place.at}.properties[${name}]`, isRoot: false, count: place.count, blurred });
    if (rest !== null)
      yield* this.schema(rest, {
        at: `${place.at}.additionalProperties`,
        isRoot: false,
        count: within(schema['maxProperties']),
        blurred,
      });
    if (items !== null) {
      const ofList = blurred ?? (schema['x-kubernetes-list-type'] === 'map' ? null : this.#root + place.at);
      yield* this.schema(items, { at: `${place.at}.items`, isRoot: false, count: within(schema['maxItems']), blurred: ofList });
    }
    if (rulesOf(schema).length > 0 && !this.#skips(place.at)) yield* this.#rules(schema, place);
    if (++this.#schemas % stepSchemas === 0) yield;
  }

  *#rules(schema: JsonObject, place: Place): Steps<void> {
    const shape = shapeOf(schema, place.isRoot);
    if (shape === null) return;
    const count = place.count ?? Math.floor(requestBytesMax / (shape.bytesMin + 1));
    const raw = schema['x-kubernetes-validations'] as readonly JsonObject[];
    for (const [position, rule] of rulesOf(schema).entries()) {
      const at = `${place.at}.x-kubernetes-validations[${position}]`;
      const stored = raw[position] ?? {};
      yield;
      const compiled = compileRule(rule, shape);
      this.#expression(compiled, { at: `${at}.rule`, what: 'estimated rule cost', times: count, stored });
      // The message of an unusable rule is not checked.
      if (compiled?.ok === true)
        this.#expression(compileMessage(rule, shape), {
          at: `${at}.messageExpression`,
          what: 'estimated messageExpression cost',
          times: 1,
          stored,
        });
      const compares = compiled?.ok === true && compiled.program.uses.has('oldSelf');
      if (compares && place.blurred !== null) {
        this.findings.push({
          kind: 'invalid',
          at: `${at}.rule`,
          value: rule.rule,
          rule: stored,
          detail: `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.blurred}`,
        });
      }
      const asked = stored['optionalOldSelf'];
      if (!compares && typeof asked === 'boolean')
        this.findings.push({
          kind: 'invalid',
          at: `${at}.optionalOldSelf`,
          value: asked,
          rule: stored,
          detail: 'may not be set if oldSelf is not used in rule',
        });
    }
  }

  #expression(
    compiled: CompiledExpression | null,
    { at, what, times, stored }: { readonly at: string; readonly what: string; readonly times: number; readonly stored: JsonObject },
  ): void {
    if (compiled === null) return;
    if (!compiled.ok) {
      this.findings.push({ kind: 'invalid', at, value: null, rule: stored, detail: compiled.message });
      return;
    }
    const cost = capped(compiled.cost * times);
    if (cost > expressionEstimateMax) this.findings.push({ kind: 'costly', at, detail: exceeded(what, cost, expressionEstimateMax) });
    this.#total = Math.min(most, this.#total + cost);
    if (cost >= namedCostMin) this.#dearest = [...this.#dearest, { at, cost }].sort((a, b) => b.cost - a.cost).slice(0, namedMax);
  }

  total(): RuleFinding[] {
    if (this.#total <= schemaEstimateMax) return [];
    return [
      ...this.#dearest.map(({ at }): RuleFinding => ({
        kind: 'forbidden',
        at,
        detail: 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
      })),
      {
        kind: 'forbidden',
        at: '',
        detail: exceeded('x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema', this.#total, schemaEstimateMax),
      },
    ];
  }
}

function exceeded(what: string, cost: number, max: number): string {
  const factor = cost / max;
  // Close to the limit, one digit would show no excess.
  const shown = factor > 100 ? 'more than 100x' : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
  return `${what} exceeds budget by factor of ${shown} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}
