import { AdmissionEvaluation } from '../../cel/admission.js';
import { requestCostMax } from '../../cel/eval/budget.js';
import { Failure, typeNameOf, type Value } from '../../cel/eval/values.js';
import { outOfBudget, type AdmissionValues, type Compiled } from '../../cel/matchConditions.js';
import type { Validation, ValidatingPolicy } from './policy.js';

/** What one evaluation of a validating policy says. */
export interface Judgement {
  /** Why the request should be refused; `index` is the place of the validation. */
  readonly denials: readonly Denial[];
  /** By the keys of the policy. */
  readonly annotations: readonly { readonly key: string; readonly value: string }[];
  /** Annotations that could not be worked out refuse the request, whatever the binding does with denials. */
  readonly errors: readonly Denial[];
}

export interface Denial {
  readonly message: string;
  /** Empty for the usual one. */ readonly reason: string;
  readonly index: number;
}

const messageBytesMax = 5 * 1024;
const nothing: Judgement = { denials: [], annotations: [], errors: [] };

export async function judge(policy: ValidatingPolicy, values: AdmissionValues): Promise<Judgement> {
  const matched = await policy.conditions.evaluate(values);
  if (matched.outcome === 'noMatch') return nothing;
  if (matched.outcome === 'error')
    return policy.ignoresFailures ? nothing : { ...nothing, denials: [{ message: matched.message, reason: '', index: 0 }] };
  const denials = await validate(policy, new AdmissionEvaluation(values, requestCostMax, policy.variables));
  if (policy.annotations.length === 0) return { ...nothing, denials };
  return { denials, ...(await annotate(policy, new AdmissionEvaluation(values, requestCostMax, policy.variables))) };
}

async function validate(policy: ValidatingPolicy, evaluation: AdmissionEvaluation): Promise<Denial[]> {
  const denials: Denial[] = [];
  for (const [index, validation] of policy.validations.entries()) {
    const { value, problem } = await outcomeOf(validation.test, evaluation);
    if (evaluation.exhausted) return policy.ignoresFailures ? [] : [{ message: outOfBudget, reason: '', index: 0 }];
    if (problem !== null) {
      if (!policy.ignoresFailures) denials.push({ message: problem, reason: '', index });
    } else if (value !== true) denials.push({ message: await messageOf(validation, evaluation), reason: validation.reason, index });
  }
  return denials;
}

/** The value of an expression, or the sentence why it has none. */
export async function outcomeOf(
  compiled: Compiled,
  evaluation: AdmissionEvaluation,
): Promise<{ readonly value: Value; readonly problem: string | null }> {
  if (compiled.program === null) return { value: null, problem: `compilation error: ${compiled.message}` };
  const value = await evaluation.evaluate(compiled.program);
  return { value, problem: value instanceof Failure ? `expression '${compiled.expression}' resulted in error: ${value.message}` : null };
}

/** What makes no text of one line gives way to what is written, and that to the expression itself. */
async function messageOf({ test, message, messages }: Validation, evaluation: AdmissionEvaluation): Promise<string> {
  const made = messages?.program ? await evaluation.evaluate(messages.program) : null;
  const text = typeof made === 'string' ? made.trim() : '';
  if (text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= messageBytesMax) return text;
  return message === '' ? `failed expression: ${test.expression.trim()}` : message;
}

async function annotate(policy: ValidatingPolicy, evaluation: AdmissionEvaluation): Promise<Pick<Judgement, 'annotations' | 'errors'>> {
  const annotations: { key: string; value: string }[] = [];
  const errors: Denial[] = [];
  const fail = (message: string, index: number): void => {
    if (!policy.ignoresFailures) errors.push({ message, reason: '', index });
  };
  for (const [index, { key, value: compiled }] of policy.annotations.entries()) {
    const { value, problem } = await outcomeOf(compiled, evaluation);
    if (evaluation.exhausted) {
      fail(outOfBudget, index);
      break;
    }
    if (problem !== null) fail(problem, index);
    else if (typeof value === 'string') {
      if (value.trim() !== '') annotations.push({ key, value: value.trim() });
    } else if (value !== null)
      fail(
        `valueExpression '${compiled.expression}' resulted in unsupported return type: ${typeNameOf(value)}. Return type must be either string or null.`,
        index,
      );
  }
  return { annotations, errors };
}
