import type { KeyOperation } from './history.js';

/**
 * One key as the sequential model of the linearizability checker. A write with a lost answer and an unseen value has an unknown version: newer than the
 * previous one and equal to none.
 */
export interface Register {
  readonly present: boolean;
  /** The version of the write that made the object; `null` if unknown. */
  readonly version: number | null;
  readonly value: string;
  /** Versions of one key only grow, also after deletion. */
  readonly newest: number;
}

export const emptyRegister: Register = { present: false, version: null, value: '', newest: 0 };

/** Identifies a register of one key: values are unique. */
export const fingerprintOf = ({ present, value, newest }: Register): string => `${present ? value : ''}@${newest}`;

/** The register after an operation with this answer, or null if this register would have answered otherwise. */
export function step(register: Register, operation: KeyOperation, versionsSeen: ReadonlyMap<string, number>): Register | null {
  switch (operation.kind) {
    case 'read':
      if (operation.result === 'absent') return register.present ? null : register;
      return register.present && register.value === operation.value && register.version === operation.version ? register : null;
    case 'create':
      if (operation.result === 'exists') return register.present ? register : null;
      return register.present
        ? null
        : written(register, operation.value, operation.result === 'done' ? operation.version : versionsSeen.get(operation.value));
    case 'update': {
      const refused = refusal(register, operation);
      if (operation.result === 'conflict' || operation.result === 'absent') return refused === operation.result ? register : null;
      return refused !== null
        ? null
        : written(register, operation.value, operation.result === 'done' ? operation.version : versionsSeen.get(operation.value));
    }
    case 'delete': {
      const refused = refusal(register, operation);
      if (operation.result === 'conflict' || operation.result === 'absent') return refused === operation.result ? register : null;
      return refused !== null ? null : { present: false, version: null, value: '', newest: register.newest };
    }
  }
}

function refusal(register: Register, { expected }: { readonly expected: number | null }): 'absent' | 'conflict' | null {
  if (!register.present) return 'absent';
  return expected === null || expected === register.version ? null : 'conflict';
}

function written(register: Register, value: string, version: number | undefined): Register | null {
  if (version === undefined) return { present: true, version: null, value, newest: register.newest };
  return version > register.newest ? { present: true, version, value, newest: version } : null;
}
