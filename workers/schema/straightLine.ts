import { countMembers } from '../codecs/json.js';
import type { Json, JsonMembers } from '../codecs/value.js';
import type { CheckContext } from './context.js';
import { areTexts, checkMember, without, type Member } from './members.js';

/**
 * Generates a checking function per type at its first object. It accepts common values inline, and passes others to `checkMember`. The code contains only
 * JSON-quoted member names from `api/data`, never client input.
 */
export type ObjectCheck = (object: JsonMembers, context: CheckContext) => JsonMembers;

/** Returns false if the member should be removed. */
type OneCheck = (object: JsonMembers, name: string, value: Json, context: CheckContext) => boolean;

/** Identifiers of the generated code besides members and checkers. */
const tools = { checkMember, areTexts, without, inOrder, isUnknown, isArray: Array.isArray };

export function straightLine(members: readonly Member[]): ObjectCheck {
  const text = `'use strict';
const { ${Object.keys(tools).join(', ')} } = tools;
const [${members.map((_member, index) => `m${index}`).join(', ')}] = members;
const [${members.map((_member, index) => `c${index}`).join(', ')}] = members.map((member) => member.checker());
const names = new Set(members.map((member) => member.name));
const one = (o, k, v, x) => {
let a;
switch (k.length) {
${branches(members).join('\n')}
}
return isUnknown(k, v, x);
};
return (o, x) => {
const order = x.order === undefined ? undefined : x.order.get(o);
let dropped;
if (order === undefined) {
let n = 0;
for (const k in o) { n++; if (!one(o, k, o[k], x)) (dropped ??= []).push(k); }
x.members += n;
} else dropped = inOrder(o, names, one, x);
${fillLines(members, 'dropped === undefined ? o : without(o, dropped)')}
};`;
  const make = new Function('members', 'tools', text) as (members: readonly Member[], tools: object) => ObjectCheck;
  return make(members, tools);
}

function fillLines(members: readonly Member[], start: string): string {
  const lines = members.flatMap((member, index) => {
    const { isItems, presence } = member;
    if (presence !== 'always' && presence !== 'nullable') return [];
    const name = JSON.stringify(member.name);
    return [`if (r[${name}] === undefined) r[${name}] = ${isItems ? '[]' : presence === 'nullable' ? 'null' : `c${index}.zero()`};`];
  });
  return lines.length === 0 ? `return ${start};` : [`const r = ${start};`, ...lines, 'return r;'].join('\n');
}

function branches(members: readonly Member[]): string[] {
  const byLength = new Map<number, string[]>();
  members.forEach((member, index) => {
    const lines = byLength.get(member.name.length) ?? [];
    lines.push(`if (k === ${JSON.stringify(member.name)}) { ${look(member, index)} return checkMember(o, v, m${index}, x); }`);
    byLength.set(member.name.length, lines);
  });
  return [...byLength].map(([length, lines]) => `case ${length}:\n${lines.join('\n')}\nbreak;`);
}

/** Emits a return for common values; others fall through. */
function look({ shape, presence, telling, name }: Member, index: number): string {
  if (telling !== null) return '';
  const kept = (zero: string): string => (presence === 'value' ? `return v !== ${zero};` : 'return true;');
  const below = `x.enter(m${index}); a = c${index}.check(v, x); x.leave(); if (a !== v) o[${JSON.stringify(name)}] = a;`;
  switch (shape.is) {
    case 'scalar':
      if (shape.scalar === 'string') return `if (typeof v === 'string') ${kept("''")}`;
      if (shape.scalar === 'boolean') return `if (typeof v === 'boolean') ${kept('false')}`;
      if (shape.scalar === 'int32') return `if (typeof v === 'number' && (v | 0) === v) ${kept('0')}`;
      return shape.scalar === 'int64' ? `if (Number.isSafeInteger(v)) ${kept('0')}` : '';
    case 'type':
      return presence === 'value' ? '' : `if (v !== null) { ${below} return a !== null; }`;
    case 'list':
      return `if (isArray(v) && v.length !== 0) { ${below} return true; }`;
    case 'map':
      return shape.values.is === 'scalar' && shape.values.scalar === 'string'
        ? 'if (x.order === undefined && areTexts(v, x)) return true;'
        : '';
  }
}

function isUnknown(name: string, value: Json, context: CheckContext): false {
  context.members += countMembers(value);
  context.reportUnknown(name);
  return false;
}

/** Checks an object with repeated members in text order. Returns the names to remove. */
function inOrder(object: JsonMembers, names: ReadonlySet<string>, one: OneCheck, context: CheckContext): string[] {
  const checked = new Set<string>();
  const dropped: string[] = [];
  for (const text of context.order?.get(object) ?? []) {
    const seen = new Set<string>();
    for (const name of text) {
      if (seen.has(name) && names.has(name)) context.reportDuplicate(name);
      seen.add(name);
      if (checked.has(name)) continue;
      checked.add(name);
      context.members++;
      if (!one(object, name, object[name] as Json, context)) dropped.push(name);
    }
  }
  return dropped;
}
