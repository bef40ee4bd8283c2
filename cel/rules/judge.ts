import type { JsonObject, JsonValue } from '../../api/object.js';
import type { StatusCause } from '../../api/status.js';
import { goQuoted } from '../eval/functions/numerals.js';
import type { Activation } from '../eval/run.js';
import { Failure, Optional } from '../eval/values.js';
import type { CompiledExpression, Rule } from './rule.js';
import { propertiesOf, restOf, type Shape } from './shape.js';

/** Order, messages and limits are the reference's. */

export type NodeRules = ShapedRules | { readonly shape: null; readonly schema: JsonObject };

interface ShapedRules {
  readonly shape: Shape;
  readonly schema: JsonObject;
  readonly rules: readonly (Rule & {
    readonly compiled: CompiledExpression | null;
    readonly messages: CompiledExpression | null;
  })[];
}

const messageBytesMax = 5 * 1024;
/** After this cost (tens of milliseconds) other requests run. */
const turnCost = 250_000;
/** The rules are where the types of enclosing schemas allow no value, such as under `items` of an object. */
const shapeless = 'rule compiler initialization error: failed to convert to declType for CEL validation rules';
const messageOutOfBudget = 'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run';
const outOfBudget = 'validation failed due to running out of cost budget, no further validation rules will be run';

export class Findings {
  #budget: number;
  readonly causes: StatusCause[] = [];
  readonly warnings: string[] = [];
  over = false;
  #sinceTurn = 0;

  constructor(budget: number) {
    this.#budget = budget;
  }

  get remaining(): number {
    return this.#budget;
  }

  /** False when the budget does not suffice. */
  spend(cost: number): boolean {
    this.#sinceTurn += cost;
    if (cost > this.#budget) {
      this.over = true;
      return false;
    }
    this.#budget -= cost;
    return true;
  }

  takesTurn(): boolean {
    const takes = this.#sinceTurn > turnCost;
    if (takes) this.#sinceTurn = 0;
    return takes;
  }

  invalid(path: string, { type, detail }: { readonly type: string; readonly detail: string }): void {
    this.causes.push({ reason: 'FieldValueInvalid', message: `Invalid value: ${JSON.stringify(type)}: ${detail}`, field: fieldOf(path) });
  }
}

const fieldOf = (path: string): string => (path === '' ? '<nil>' : path);

export function judge(
  node: NodeRules,
  value: JsonValue,
  { path, old, unchanged }: { readonly path: string; readonly old: JsonValue | undefined; readonly unchanged: () => boolean },
  findings: Findings,
): void {
  const type = typeof node.schema['type'] === 'string' ? node.schema['type'] : '';
  if (node.shape === null) return findings.invalid(path, { type, detail: shapeless });
  const { shape, schema, rules } = node;
  const self = shape.view(value);
  const oldSelf = old === undefined || old === null ? undefined : shape.view(old);
  const comparing = rules.some(({ compiled }) => compiled?.ok === true && compiled.program.uses.has('oldSelf'));
  // Messages see the old value only if a rule of the schema does.
  const plain: Activation = (name) => (name === 'self' ? self : name === 'oldSelf' && comparing ? oldSelf : undefined);
  const optional: Activation = (name) =>
    name === 'self' ? self : name === 'oldSelf' ? (oldSelf === undefined ? Optional.none : new Optional(oldSelf)) : undefined;
  for (const rule of rules) {
    if (findings.over) return;
    if (findings.remaining <= 0) {
      findings.over = true;
      return findings.invalid(path, { type, detail: outOfBudget });
    }
    if (rule.compiled === null) continue;
    if (!rule.compiled.ok) {
      findings.invalid(path, { type, detail: `rule compile error: ${rule.compiled.message}` });
      continue;
    }
    const { program } = rule.compiled;
    const compares = program.uses.has('oldSelf');
    if (compares && oldSelf === undefined && !rule.optionalOldSelf) continue;
    const result = program.evaluate(rule.optionalOldSelf ? optional : plain);
    if (!findings.spend(result.cost)) return findings.invalid(path, { type, detail: outOfBudget });
    if (result.value === true) continue;
    if (result.value instanceof Failure) {
      if (result.overBudget) findings.over = true;
      findings.invalid(path, { type, detail: failureOf(rule, result.value.message, result.overBudget) });
    } else refuse({ rule, path, schema, value, ratchets: !compares && unchanged() }, plain, findings);
  }
}

const ruleName = ({ message, rule }: Rule): string => (message === '' ? rule : message).trim();

/** The message of a rule without a result. */
function failureOf(rule: Rule, error: string, overBudget: boolean): string {
  if (overBudget) return `'${error}': no further validation rules will be run due to call cost exceeds limit for rule: ${ruleName(rule)}`;
  return error.startsWith('no such overload')
    ? `'${error}': call arguments did not match a supported operator, function or macro signature for rule: ${ruleName(rule)}`
    : `${error} evaluating rule: ${ruleName(rule)}`;
}

interface Broken {
  readonly rule: ShapedRules['rules'][number];
  readonly path: string;
  readonly schema: JsonObject;
  readonly value: JsonValue;
  /** The value is unchanged: the update passes with a warning. */ readonly ratchets: boolean;
}

function refuse({ rule, path, schema, value, ratchets }: Broken, activation: Activation, findings: Findings): void {
  const fallback = rule.message === '' ? `failed rule: ${rule.rule.trim()}` : rule.message.trim();
  const made = rule.messages?.ok === true ? messageOf(rule, rule.messages, activation, findings) : { text: null };
  const at = path + pathBelow(schema, rule.fieldPath);
  const reported =
    'ended' in made
      ? worded('FieldValueInvalid', typeof schema['type'] === 'string' ? schema['type'] : '', made.ended)
      : worded(rule.reason, value, made.text ?? fallback);
  const cause: StatusCause = { ...reported, field: fieldOf(at.replace(/^\./, '')) };
  if (ratchets) findings.warnings.push(`${cause.field ?? ''}: ${cause.message ?? ''}`);
  else findings.causes.push(cause);
}

/** The text of a message expression, null without a usable one; or the reason why evaluation ends. */
type Made = { readonly text: string | null } | { readonly ended: string };

function messageOf(
  { messageExpression }: Rule,
  { program }: Extract<CompiledExpression, { ok: true }>,
  activation: Activation,
  findings: Findings,
): Made {
  const { value, cost, overBudget } = program.evaluate(activation);
  if (!findings.spend(cost)) return { ended: messageOutOfBudget };
  if (overBudget) {
    findings.over = true;
    return {
      ended: `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${goQuoted(messageExpression)}`,
    };
  }
  const text = typeof value === 'string' ? value.trim() : '';
  return { text: text === '' || text.includes('\n') || Buffer.byteLength(text) > messageBytesMax ? null : text };
}

/** Structures are not printed. */
const shown = (value: JsonValue): string =>
  typeof value === 'object' && value !== null ? '' : `: ${typeof value === 'string' ? JSON.stringify(value) : String(value)}`;

function worded(reason: string, value: JsonValue, detail: string): StatusCause {
  switch (reason) {
    case 'FieldValueForbidden':
      return { reason, message: `Forbidden: ${detail}` };
    case 'FieldValueRequired':
      return { reason, message: `Required value: ${detail}` };
    case 'FieldValueDuplicate':
      return { reason, message: `Duplicate value${shown(value)}` };
    default:
      return { reason: 'FieldValueInvalid', message: `Invalid value${shown(value)}: ${detail}` };
  }
}

const step = /\.([A-Za-z_][A-Za-z0-9_-]*)|\['((?:[^'\\]|\\.)*)'\]/y;

/** Returns a path for messages, `.a['b.c']`: members of maps in brackets, fields after points. Empty when unparsable. */
function pathBelow(schema: JsonObject, path: string): string {
  const text = path.trim();
  let place: JsonObject | null = schema;
  let made = '';
  for (let at = 0; at < text.length;) {
    step.lastIndex = at;
    const match = step.exec(text);
    if (match === null || place === null) return '';
    const name = match[1] ?? (match[2] ?? '').replace(/\\(.)/gs, '$1');
    const property: [string, JsonObject] | undefined = propertiesOf(place).find(([known]) => known === name);
    made += property === undefined ? `[${name}]` : `.${name}`;
    place = property === undefined ? restOf(place) : property[1];
    at += match[0].length;
  }
  return made;
}
