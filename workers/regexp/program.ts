import type { CharSet } from './charset.js';
import { PatternError, type Assertion, type Node, type ParsedPattern } from './syntax.js';

/** All but `match` continue at `next`. */
export type Instruction =
  | { readonly op: 'set'; readonly set: CharSet; next: number }
  | { readonly op: 'assert'; readonly what: Assertion; next: number }
  | { readonly op: 'save'; readonly slot: number; next: number }
  /** Tries both; `next` is preferred. */
  | { readonly op: 'split'; next: number; other: number }
  | { readonly op: 'match' };

export interface Program {
  readonly instructions: readonly Instruction[];
  readonly start: number;
  readonly slots: number;
}

const instructionsMax = 50_000;

export function compileProgram({ root, groups }: ParsedPattern): Program {
  const emitter = new Emitter();
  const match = emitter.add({ op: 'match' });
  return { instructions: emitter.instructions, start: emitter.node(root, match), slots: 2 * groups.length };
}

class Emitter {
  readonly instructions: Instruction[] = [];

  add(instruction: Instruction): number {
    if (this.instructions.length >= instructionsMax) throw new PatternError('expression too large');
    return this.instructions.push(instruction) - 1;
  }

  node(node: Node, next: number): number {
    switch (node.is) {
      case 'empty':
        return next;
      case 'set':
        return this.add({ op: 'set', set: node.set, next });
      case 'assert':
        return this.add({ op: 'assert', what: node.what, next });
      case 'group': {
        const close = this.add({ op: 'save', slot: 2 * node.group + 1, next });
        return this.add({ op: 'save', slot: 2 * node.group, next: this.node(node.body, close) });
      }
      case 'sequence':
        return node.parts.reduceRight((after, part) => this.node(part, after), next);
      case 'choice':
        return node.parts.map((part) => this.node(part, next)).reduceRight((other, part) => this.add({ op: 'split', next: part, other }));
      case 'repeat':
        return this.#repeat(node, next);
    }
  }

  #repeat(node: Node & { is: 'repeat' }, next: number): number {
    let at = node.max === Infinity ? this.#loop(node, next) : next;
    for (let optional = node.max === Infinity ? 0 : node.max - node.min; optional > 0; optional--)
      at = this.#split(this.node(node.body, at), next, node.greedy);
    for (let needed = node.min; needed > 0; needed--) at = this.node(node.body, at);
    return at;
  }

  #loop({ body, greedy }: Node & { is: 'repeat' }, next: number): number {
    const split = this.#split(next, next, greedy);
    const instruction = this.instructions[split] as Instruction & { op: 'split' };
    const again = this.node(body, split);
    if (greedy) instruction.next = again;
    else instruction.other = again;
    return split;
  }

  #split(body: number, next: number, greedy: boolean): number {
    return this.add(greedy ? { op: 'split', next: body, other: next } : { op: 'split', next, other: body });
  }
}
