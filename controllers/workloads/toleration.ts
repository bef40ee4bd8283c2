import type { Taint, Toleration } from '../../api/types/core/v1.js';
import { decimal, difference } from './wholeNumbers.js';

export function tolerates({ key = '', operator = 'Equal', value = '', effect = '' }: Toleration, taint: Taint): boolean {
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  if (key === '') return false;
  return (comparisons[operator] ?? never)(taint.value ?? '', value);
}

const never = (): boolean => false;
const comparisons: Readonly<Record<string, (taint: string, value: string) => boolean>> = {
  Equal: (taint, value) => taint === value,
  Gt: (taint, value) => difference(taint, value, decimal) > 0n,
  Lt: (taint, value) => difference(taint, value, decimal) < 0n,
};
