import { expect } from 'chai';
import type { JsonObject } from '../../../api/object.js';
import { compileRule, rulesOf, type CompiledExpression } from '../../../cel/rules/rule.js';
import { shapeOf, type Shape } from '../../../cel/rules/shape.js';
import { Failure } from '../../../cel/eval/values.js';
import { validateSchema } from '../../../server/kinds/apiextensions.k8s.io/schema/schema.js';
import { Path } from '../../../server/registry/validation/field.js';
import { generatedCase, type GeneratedCase } from './ruleGenerator.js';

const cases = 2_000;
/** Definitions take longer. */
const definitions = 400;
/** Value-dependent failures of well-typed expressions. */
const ofValues =
  /^(no such key|NaN|index out of bounds|division by zero|modulus by zero|integer overflow|return error for overflow|invalid|.*out of range|.*overflow|.*range|.*bounds|operation cancelled|unexpected|error|failed|unable)/i;

describe('rules that are made at random', () => {
  const compiledIn = ({ schema, rule }: GeneratedCase): { shape: Shape; compiled: Extract<CompiledExpression, { ok: true }> } => {
    const shape = shapeOf(schema, false);
    const [wanted] = rulesOf({ 'x-kubernetes-validations': [{ rule }] });
    if (shape === null || wanted === undefined) throw new Error('broken invariant: the schema has no shape');
    const compiled = compileRule(wanted, shape);
    if (compiled?.ok !== true) throw new Error(`${rule} of ${JSON.stringify(schema)}: ${compiled?.message ?? 'nothing'}`);
    return { shape, compiled };
  };

  it('are taken, come to a bool or a failure of values, and cost no more than was estimated', () => {
    const faults: string[] = [];
    for (let seed = 1; seed <= cases; seed++) {
      const made = generatedCase(seed);
      try {
        const { shape, compiled } = compiledIn(made);
        for (const value of made.values) {
          const self = shape.view(value);
          const { value: result, cost, overBudget } = compiled.program.evaluate((name) => (name === 'self' ? self : undefined));
          const about = `${seed}: ${made.rule} of ${JSON.stringify(value)}`;
          if (result instanceof Failure ? !overBudget && !ofValues.test(result.message) : typeof result !== 'boolean')
            faults.push(`${about} is ${result instanceof Failure ? result.message : typeof result}`);
          if (!overBudget && cost > Math.max(compiled.cost, 1)) faults.push(`${about} costs ${cost}, estimated ${compiled.cost}`);
        }
      } catch (error) {
        faults.push(`${seed}: ${(error as Error).message}`);
      }
    }
    expect(faults.length, faults.slice(0, 20).join('\n')).to.equal(0);
  });

  it('stand in definitions that are taken again when they come back, or refused in the same words', () => {
    const findings = (schema: JsonObject): string[] =>
      validateSchema({ schema, hasStatus: false, path: Path.root.child('schema') }, true).map(({ path, message }) => `${path}: ${message}`);
    let taken = 0;
    for (let seed = 1; seed <= definitions; seed++) {
      const { schema, rule } = generatedCase(seed);
      const whole = { type: 'object', properties: { spec: { ...schema, 'x-kubernetes-validations': [{ rule }] } } };
      const first = findings(whole);
      expect(findings(JSON.parse(JSON.stringify(whole)) as JsonObject), rule).to.deep.equal(first);
      expect(
        first.filter((text) => !text.includes('estimated')),
        `${seed}: ${rule}`,
      ).to.deep.equal([]);
      if (first.length === 0) taken++;
    }
    expect(taken).to.be.above(definitions / 2);
  });
});
