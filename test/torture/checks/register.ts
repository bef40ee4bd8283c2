import type { KeyOperation } from './history.js';

/**
 * One key of the store as the sequential model of the linearizability checker: absent or present, and the newest version that it ever had.
 * A write whose answer was lost and whose value nobody saw has a version that nobody knows: it is newer than the one before and equals none.
 */
export interface Register {
  readonly present: boolean;
  /** Of the write that made the present object; `null` when nobody ever saw it. */
  readonly version: number | null;
  readonly value: string;
  /** Versions of one key only grow, also over deletions. */
  readonly newest: number;
}

export const emptyRegister: Register = { present: false, version: null, value: '', newest: 0 };

/** Enough to tell registers of one key apart: a value names its write. */
export const fingerprintOf = ({ present, value, newest }: Register): string => `${present ? value : ''}@${newest}`;

/** The register after an operation that was answered as the history says, or null when this register would not have answered so. */
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
