import { isObject } from '../../api/json/json.js';
import type { JsonObject } from '../../api/object.js';
import { check, unwanted, type Checked } from '../check/checker.js';
import { bool, optional, typeOf, type Type } from '../check/types.js';
import { estimateCost, type SizeAt } from '../estimate/estimator.js';
import { compileProgram, type CelProgram } from '../eval/program.js';
import type { Shape } from './shape.js';

export interface Rule {
  readonly rule: string;
  readonly message: string;
  readonly messageExpression: string;
  readonly reason: string;
  readonly fieldPath: string;
  readonly optionalOldSelf: boolean;
}

/** An expression checked against the types of the schema. `cost` is its maximum cost. */
export type CompiledExpression =
  | { readonly ok: true; readonly program: CelProgram; readonly cost: number }
  | { readonly ok: false; readonly message: string };

const names: ReadonlySet<string> = new Set(['self', 'oldSelf']);
const text = (rule: JsonObject, member: string): string => (typeof rule[member] === 'string' ? rule[member] : '');

export const rulesOf = (schema: JsonObject): Rule[] => {
  const rules = schema['x-kubernetes-validations'];
  return (Array.isArray(rules) ? rules : [])
    .filter((rule): rule is JsonObject => isObject<JsonObject>(rule))
    .map((rule) => ({
      rule: text(rule, 'rule'),
      message: text(rule, 'message'),
      messageExpression: text(rule, 'messageExpression'),
      reason: text(rule, 'reason'),
      fieldPath: text(rule, 'fieldPath'),
      optionalOldSelf: rule['optionalOldSelf'] === true,
    }));
};

export function compileRule({ rule, optionalOldSelf }: Rule, shape: Shape): CompiledExpression | null {
  if (rule.trim() === '') return null;
  const checked = check(rule, declarations(shape, optionalOldSelf));
  if (!checked.ok && checked.stage === 'compilation') return { ok: false, message: `compilation failed: ${checked.message}` };
  if (unwanted(checked.type, [bool]) !== null) return { ok: false, message: 'cel expression must evaluate to a bool' };
  return checked.ok ? compiled(rule, checked, shape) : { ok: false, message: `${checked.stage} failed: ${checked.message}` };
}

export function compileMessage({ messageExpression, optionalOldSelf }: Rule, shape: Shape): CompiledExpression | null {
  if (messageExpression.trim() === '') return null;
  const checked = check(messageExpression, declarations(shape, optionalOldSelf));
  if (!checked.ok && checked.stage === 'compilation')
    return { ok: false, message: `messageExpression compilation failed: ${checked.message}` };
  if (unwanted(checked.type, [typeOf('string')]) !== null) return { ok: false, message: 'messageExpression must evaluate to a string' };
  if (!checked.ok) return { ok: false, message: `messageExpression instantiation failed: ${checked.message}` };
  return compiled(messageExpression, checked, shape);
}

const declarations = ({ type }: Shape, optionalOldSelf: boolean): { variables: Record<string, Type> } => ({
  variables: { self: type, oldSelf: optionalOldSelf ? optional(type) : type },
});

const compiled = (expression: string, { tree, types }: Extract<Checked, { ok: true }>, shape: Shape): CompiledExpression => ({
  ok: true,
  program: compileProgram(expression, names, { tree, types }),
  cost: estimateCost(tree, types, sizesBelow(shape)),
});

/** The root of any path counts as the rule's value, as in the reference: type names have its size, that of an object, and none. */
const sizesBelow =
  (shape: Shape): SizeAt =>
  ([, ...steps]) => {
    let place: Shape | undefined = shape;
    for (const step of steps) {
      // Nothing limits the length of keys.
      if (step === '@keys') return place.type.name === 'map' ? { min: 0, max: 0 } : null;
      place = step === '@items' || step === '@values' ? place?.element : place?.fields?.get(step);
      if (place === undefined) return null;
    }
    return { min: 0, max: place.elementsMax };
  };
