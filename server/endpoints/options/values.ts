import { badRequest, invalidObject, type StatusError } from '../../../api/status.js';
import { toCause, type FieldError } from '../../registry/validation/field.js';

/** The first value of a repeated parameter counts. */

const int64Max = 2n ** 63n - 1n;

/** Throws 400; an empty value is not a number. */
export function integerParameter(query: URLSearchParams, name: string): number | null {
  const text = query.get(name);
  if (text === null) return null;
  if (!/^[+-]?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  const value = BigInt(text.replace('+', ''));
  if (value > int64Max || value < -int64Max - 1n) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: value out of range`);
  return Number(value);
}

/** True for any value but "false" and "0"; null when absent. */
export const booleanParameter = (query: URLSearchParams, name: string): boolean | null => {
  const text = query.get(name);
  return text === null ? null : text !== '0' && text.toLowerCase() !== 'false';
};

/** The 422 for contradictory options. */
const invalidOptions = (kind: string, findings: readonly FieldError[]): StatusError =>
  invalidObject({ group: 'meta.k8s.io', kind }, '', findings.map(toCause));

export function refuseFindings(kind: string, findings: readonly FieldError[]): void {
  if (findings.length > 0) throw invalidOptions(kind, findings);
}
