import { forbidden, invalid, notSupported, Path, required, type FieldError } from '../../registry/validation/field.js';
import { booleanParameter, refuseFindings } from './values.js';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export interface WriteParameters {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
}

const fieldManagerMax = 128;
/** Most manager names are short and printable. */
const plainManager = /^[\x20-\x7e]{0,128}$/;
const nothingAsked: WriteParameters = { dryRun: false, fieldManager: '', fieldValidation: 'Warn' };
const validations = ['', 'Ignore', 'Strict', 'Warn'];

/** Checks parameters of server-side apply alone first. Throws 422. */
export function parsePatchParameters(query: URLSearchParams, applies: boolean): WriteParameters & { readonly force: boolean } {
  const force = booleanParameter(query, 'force');
  const missing =
    applies && (query.get('fieldManager') ?? '') === '' ? [required(Path.of('fieldManager'), 'is required for apply patch')] : [];
  const misplaced = !applies && force !== null ? [forbidden(Path.of('force'), 'may not be specified for non-apply patch')] : [];
  return { ...parseWriteParameters(query, 'PatchOptions', [...missing, ...misplaced]), force: force ?? false };
}

/** Throws 422. `findings` are earlier ones. */
export function parseWriteParameters(query: URLSearchParams, kind: string, findings: readonly FieldError[] = []): WriteParameters {
  if (query.size === 0 && findings.length === 0) return nothingAsked;
  const dryRun = query.getAll('dryRun');
  const fieldManager = query.get('fieldManager') ?? '';
  const fieldValidation = query.get('fieldValidation') ?? '';
  refuseFindings(kind, [
    ...findings,
    ...managerFindings(fieldManager),
    ...dryRunFindings(dryRun),
    ...(validations.includes(fieldValidation) ? [] : [notSupported(Path.of('fieldValidation'), fieldValidation, validations)]),
  ]);
  return {
    dryRun: dryRun.length > 0,
    fieldManager,
    fieldValidation: fieldValidation === '' ? 'Warn' : (fieldValidation as FieldValidation),
  };
}

/** `All` is the only valid value; a list may repeat it. */
export const dryRunFindings = (dryRun: readonly string[]): FieldError[] =>
  dryRun.every((value) => value === 'All') ? [] : [notSupported(Path.of('dryRun'), dryRun, ['All'])];

function managerFindings(manager: string): FieldError[] {
  if (plainManager.test(manager)) return [];
  const path = Path.of('fieldManager');
  if (Buffer.byteLength(manager) > fieldManagerMax)
    return [{ type: 'FieldValueTooLong', path: path.toString(), message: `Too long: may not be more than ${fieldManagerMax} bytes` }];
  // People see the name, so only printable characters are allowed.
  return /^[\P{C}]*$/u.test(manager) ? [] : [invalid(path, manager, 'should only contain printable characters')];
}
