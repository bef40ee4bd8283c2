import type { Taint, Toleration } from '../../api/types/core/v1.js';

/** Whether a pod with a toleration bears a taint. Pure. */
export function tolerates({ key = '', operator = 'Equal', value = '', effect = '' }: Toleration, taint: Taint): boolean {
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  if (key === '') return false;
  return (comparisons[operator] ?? never)(taint.value ?? '', value);
}

const never = (): boolean => false;
const isWhole = (text: string): boolean => /^-?\d+$/.test(text);
const comparisons: Readonly<Record<string, (taint: string, value: string) => boolean>> = {
  Equal: (taint, value) => taint === value,
  Gt: (taint, value) => isWhole(taint) && isWhole(value) && Number(taint) > Number(value),
  Lt: (taint, value) => isWhole(taint) && isWhole(value) && Number(taint) < Number(value),
};
