/** Words that begin a command for operators, in place of the server's options. */
export const operationNames: ReadonlySet<string> = new Set(['member', 'backup', 'restore', 'check']);
