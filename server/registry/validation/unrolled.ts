import { membersOf } from '../../../api/json/members.js';
import { inOrder, type Found } from './ofEach.js';
import type { Path } from './field.js';

type AnyRule = (value: never, path: Path, owner: never, known?: never) => Found;
type Unrolled = (value: unknown, path: Path, owner: unknown, known: unknown) => Found;

export interface MemberRule {
  readonly name: string;
  readonly rule: AnyRule;
  readonly skipsAbsent: boolean;
}

/**
 * Checks the members of a value. The code, made on the first use, has a line for each rule: each access sees one shape of objects, and each call one rule,
 * which V8 inlines. It contains names of tables, never client input.
 */
export function unrolledMembers(rows: readonly MemberRule[]): Unrolled {
  const lines = rows.map(({ name, skipsAbsent }, position) => {
    const member = JSON.stringify(name);
    const check = foundBy(`rule${position}(member, path.child(${member}), now, known)`);
    return `member = now[${member}]; ${skipsAbsent ? `if (member !== undefined && member !== null) { ${check} }` : check}`;
  });
  return onUse(
    rows.map(({ rule }) => rule),
    ['let member;', 'const now = membersOf(value);', ...lines],
  );
}

export const unrolledRules = (rules: readonly AnyRule[]): Unrolled =>
  onUse(
    rules,
    rules.map((_, position) => foundBy(`rule${position}(value, path, owner, known)`)),
  );

const foundBy = (call: string): string =>
  `more = ${call}; if (!Array.isArray(more) || more.length > 0) { if (found === null) found = [more]; else found.push(more); }`;

function onUse(rules: readonly AnyRule[], lines: readonly string[]): Unrolled {
  let made: Unrolled | null = null;
  return (value, path, owner, known) => (made ??= compiled(rules, lines))(value, path, owner, known);
}

function compiled(rules: readonly AnyRule[], lines: readonly string[]): Unrolled {
  const text = `'use strict';
const [${rules.map((_, position) => `rule${position}`).join(', ')}] = rules;
return (value, path, owner, known) => {
let more, found = null;
${lines.join('\n')}
return found === null ? [] : inOrder(...found);
};`;
  return (new Function('rules', 'membersOf', 'inOrder', text) as (...tools: readonly unknown[]) => Unrolled)(rules, membersOf, inOrder);
}
