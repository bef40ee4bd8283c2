import { invalid, notSupported, Path, type FieldError } from '../../registry/validation/field.js';
import { refuseFindings } from './values.js';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** Parameters of create, update and patch. */
export interface WriteParameters {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
}

const FIELD_MANAGER_MAX = 128;
const VALIDATIONS = ['', 'Ignore', 'Strict', 'Warn'];

/** Throws 422. `kind` names the options in messages: `CreateOptions`, `UpdateOptions`, `PatchOptions`. */
export function parseWriteParameters(query: URLSearchParams, kind: string): WriteParameters {
  const dryRun = query.getAll('dryRun');
  const fieldManager = query.get('fieldManager') ?? '';
  const fieldValidation = query.get('fieldValidation') ?? '';
  refuseFindings(kind, [
    ...managerFindings(fieldManager),
    ...dryRunFindings(dryRun),
    ...(VALIDATIONS.includes(fieldValidation) ? [] : [notSupported(Path.of('fieldValidation'), fieldValidation, VALIDATIONS)]),
  ]);
  return { dryRun: dryRun.length > 0, fieldManager, fieldValidation: fieldValidation === '' ? 'Warn' : fieldValidation as FieldValidation };
}

/** `All` is the only way to say it; a list of it says it as well. */
export const dryRunFindings = (dryRun: readonly string[]): FieldError[] =>
  (dryRun.every(value => value === 'All') ? [] : [notSupported(Path.of('dryRun'), dryRun, ['All'])]);

function managerFindings(manager: string): FieldError[] {
  const path = Path.of('fieldManager');
  if (Buffer.byteLength(manager) > FIELD_MANAGER_MAX) return [{ type: 'FieldValueTooLong', path: path.toString(), message: `Too long: may not be more than ${FIELD_MANAGER_MAX} bytes` }];
  // Only printable characters: the name is shown to people.
  return /^[\P{C}]*$/u.test(manager) ? [] : [invalid(path, manager, 'should only contain printable characters')];
}
