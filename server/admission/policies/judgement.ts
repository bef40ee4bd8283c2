import { AdmissionEvaluation } from '../../../cel/admission.js';
import { requestCostMax } from '../../../cel/eval/budget.js';
import { Failure, typeNameOf, type Value } from '../../../cel/eval/values.js';
import { outOfBudget, type Compiled } from '../../../cel/matchConditions.js';
import type { AdmissionValues } from '../../../cel/admissionValues.js';
import type { EvaluationError } from './metrics.js';
import type { Validation, ValidatingPolicy } from './policy.js';

export interface Judgement {
  /** Reasons to refuse; `index` is the position of the validation. */
  readonly denials: readonly Denial[];
  /** Named by the policy's keys. */
  readonly annotations: readonly { readonly key: string; readonly value: string }[];
  /** Failures that the failure policy ignores. */
  readonly ignored: readonly Pick<Denial, 'error' | 'seconds'>[];
  /** Failed audit annotations, which refuse the request regardless of actions. */
  readonly errors: readonly Denial[];
}

export interface Denial {
  readonly message: string;
  /** Empty for the default. */ readonly reason: string;
  readonly index: number;
  readonly error: EvaluationError;
  /** The duration of the evaluation. */
  readonly seconds: number;
}

const messageBytesMax = 5 * 1024;
const nothing: Judgement = { denials: [], ignored: [], annotations: [], errors: [] };
const secondsSince = (startMs: number): number => (performance.now() - startMs) / 1000;

export async function judge(policy: ValidatingPolicy, values: AdmissionValues): Promise<Judgement> {
  const began = performance.now();
  const matched = await policy.conditions.evaluate(values);
  if (matched.outcome === 'noMatch') return nothing;
  if (matched.outcome === 'error') {
    const failure = { message: matched.message, reason: '', index: 0, error: 'invalid_error', seconds: secondsSince(began) } as const;
    return policy.ignoresFailures ? { ...nothing, ignored: [failure] } : { ...nothing, denials: [failure] };
  }
  const verdicts = await validate(policy, values);
  if (policy.annotations.length === 0) return { ...nothing, ...verdicts };
  return { ...verdicts, ...(await annotate(policy, withoutAuthorizer(policy, values))) };
}

/** Expressions of messages and audit annotations, and variables evaluated for them, cannot use the authorizer (`validator.go`). */
const withoutAuthorizer = (policy: ValidatingPolicy, values: AdmissionValues, costMax = requestCostMax): AdmissionEvaluation =>
  new AdmissionEvaluation({ ...values, user: null }, costMax, policy.variables);

async function validate(policy: ValidatingPolicy, values: AdmissionValues): Promise<Pick<Judgement, 'denials' | 'ignored'>> {
  const evaluation = new AdmissionEvaluation(values, requestCostMax, policy.variables);
  let ofMessages: AdmissionEvaluation | null = null;
  const denials: Denial[] = [];
  const ignored: Denial[] = [];
  for (const [index, validation] of policy.validations.entries()) {
    const began = performance.now();
    const { value, problem } = await outcomeOf(validation.test, evaluation);
    const seconds = secondsSince(began);
    if (evaluation.exhausted) {
      const failure = { message: outOfBudget, reason: '', index: 0, error: 'out_of_budget', seconds } as const;
      return policy.ignoresFailures ? { denials: [], ignored: [...ignored, failure] } : { denials: [failure], ignored };
    }
    if (problem !== null) {
      const error = validation.test.program === null ? 'compile_error' : 'invalid_error';
      (policy.ignoresFailures ? ignored : denials).push({ message: problem, reason: '', index, error, seconds });
    } else if (value !== true)
      denials.push({
        message: await messageOf(validation, (ofMessages ??= withoutAuthorizer(policy, values, evaluation.remaining))),
        reason: validation.reason,
        index,
        error: 'no_error',
        seconds,
      });
  }
  return { denials, ignored };
}

/** Returns the value of an expression, or the error message. */
export async function outcomeOf(
  compiled: Compiled,
  evaluation: AdmissionEvaluation,
): Promise<{ readonly value: Value; readonly problem: string | null }> {
  if (compiled.program === null) return { value: null, problem: `compilation error: ${compiled.message}` };
  const value = await evaluation.evaluate(compiled.program);
  return { value, problem: value instanceof Failure ? `expression '${compiled.expression}' resulted in error: ${value.message}` : null };
}

/** Unless a message expression yields a single line of text, the message is used, or else the validation's expression. */
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
    if (!policy.ignoresFailures) errors.push({ message, reason: '', index, error: 'invalid_error', seconds: 0 });
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
