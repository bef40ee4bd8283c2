/**
 * The words of whichever runner runs a file: mocha, vitest (`--globals`) and jest have them as globals, with two names for the same; `node:test` is imported.
 * A test file of your own imports from its runner.
 */
const words = globalThis.describe === undefined ? await import('node:test') : globalThis;

export const { describe, it, afterEach } = words;
export const before = words.before ?? words.beforeAll;
export const after = words.after ?? words.afterAll;
