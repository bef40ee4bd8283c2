import { isObject } from '../../../api/json/json.js';

export interface Completing {
  readonly completes?: Completion | undefined;
  /** The rule has defaults alone. */
  readonly checksNothing?: boolean;
}

/** Steps give a value its defaults. */
export type Completion = readonly Step[];
type Step =
  | { readonly is: 'default'; readonly insteadOfZero: boolean; readonly value: unknown }
  | { readonly is: 'created' }
  | { readonly is: 'completed'; readonly complete: (object: never) => void }
  | { readonly is: 'items'; readonly each: Completion }
  | { readonly is: 'members'; readonly rows: readonly (readonly [name: string, member: Completion])[] }
  | { readonly is: 'provided'; readonly holds: (value: never, owner: never) => boolean; readonly then: Completion };

/** The rule adds no checks to those of its parts. */
export function like<R extends object>(rule: R, { completes, checksNothing }: Completing): R {
  if (checksNothing === true) Object.assign(rule, { checksNothing });
  return completes === undefined ? rule : Object.assign(rule, { completes });
}

export const completedLike = <R extends object>(rule: R, { completes }: Completing): R => like(rule, { completes });

export function together(parts: readonly Completing[]): Completing {
  const steps = parts.flatMap(({ completes = [] }) => completes);
  return { completes: steps.length === 0 ? undefined : steps, checksNothing: parts.every(({ checksNothing }) => checksNothing === true) };
}

export function ofMembers(table: Readonly<Record<string, Completing>>): Completing {
  const rows = Object.entries(table).flatMap(([name, { completes }]) => (completes === undefined ? [] : [[name, completes] as const]));
  return { ...together(Object.values(table)), completes: rows.length === 0 ? undefined : [{ is: 'members', rows }] };
}

export const ofItems = (part: Completing): Completing => within(part, (each) => ({ is: 'items', each }));

export const provided = <V, O>(holds: (value: V, owner: O) => boolean, part: Completing): Completing =>
  within(part, (then) => ({ is: 'provided', holds, then }));

const within = ({ completes, checksNothing = false }: Completing, step: (completes: Completion) => Step): Completing =>
  completes === undefined ? { checksNothing } : { completes: [step(completes)], checksNothing };

/** Each access sees one shape of objects. The code contains names and constants of tables, never client input. */
export function straightLine(completion: Completion): (object: object) => void {
  const used: unknown[] = [];
  const lines = linesOf(completion, { slot: 'object', owner: 'null', depth: 0 }, used);
  const text = `'use strict';
const [${used.map((_value, index) => `c${index}`).join(', ')}] = used;
return (object) => {
let v;
${lines.join('\n')}
};`;
  const make = new Function('isObject', 'isArray', 'used', text) as (...tools: readonly unknown[]) => (object: object) => void;
  return make(isObject, Array.isArray, used);
}

interface Place {
  readonly slot: string;
  readonly owner: string;
  readonly depth: number;
}

const linesOf = (completion: Completion, place: Place, used: unknown[]): string[] =>
  completion.flatMap((step) => stepLines(step, place, used));

const absence = 'v === undefined || v === null';
const zero = `${absence} || v === '' || v === 0 || v === false || (isArray(v) && v.length === 0)`;

function stepLines(step: Step, place: Place, used: unknown[]): readonly string[] {
  const { slot, owner, depth } = place;
  const [held, index] = [`p${depth}`, `i${depth}`];
  const named = (value: unknown): string => `c${used.push(value) - 1}`;
  const linesIn = (inner: Partial<Place>, completion: Completion): string[] =>
    linesOf(completion, { ...place, ...inner, depth: depth + 1 }, used);
  switch (step.is) {
    case 'default':
      return [`v = ${slot};`, `if (${step.insteadOfZero ? zero : absence}) { ${putting(step.value, place, named)} }`];
    case 'created':
      return [`if (!isObject(${slot})) ${slot} = {};`];
    case 'completed':
      return [`if (isObject(${slot})) ${named(step.complete)}(${slot});`];
    case 'provided':
      return [`if (${named(step.holds)}(${slot}, ${owner})) {`, ...linesIn({}, step.then), '}'];
    case 'items':
      return [
        `{ const ${held} = ${slot}; if (isArray(${held})) for (let ${index} = 0; ${index} < ${held}.length; ${index}++) {`,
        ...linesIn({ slot: `${held}[${index}]` }, step.each),
        '} }',
      ];
    case 'members':
      return [
        `{ const ${held} = ${slot}; if (isObject(${held})) {`,
        ...step.rows.flatMap(([name, member]) => linesIn({ slot: `${held}[${JSON.stringify(name)}]`, owner: held }, member)),
        '} }',
      ];
  }
}

const putting = (value: unknown, { slot, owner }: Place, named: (value: unknown) => string): string =>
  typeof value === 'function' ? `v = ${named(value)}(${owner}); if (v !== undefined) ${slot} = v;` : `${slot} = ${JSON.stringify(value)};`;
