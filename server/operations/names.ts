/** Operators' commands, which replace the server's options. */
export const operationNames: ReadonlySet<string> = new Set(['member', 'backup', 'restore', 'check']);
