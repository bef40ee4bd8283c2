import type { LabelRequirement, LabelSelector } from './selector.js';
import { tokensOf, type Token, type TokenKind } from './labelLexer.js';
import type { Parsed } from './parsed.js';
import { joinProblems, keyProblems, requirementProblems } from './requirement.js';

/**
 * Parses the text form `a=b,c!=d,e in (x,y),f notin (z),!g,h,i>1,j<2`. Requirements keep their order.
 *
 *     selector    = [ requirement { "," requirement } [ "," requirement ] ]
 *     requirement = key | "!" key | key ("=" | "==" | "!=" | ">" | "<") [ value ] | key ("in" | "notin") "(" values ")"
 *     values      = [ value ] { "," [ value ] }
 */
export function parseLabelSelector(text: string): Parsed<LabelSelector> {
  try {
    return { ok: true, selector: new Parser(tokensOf(text)).selector() };
  } catch (error) {
    if (error instanceof SelectorSyntaxError) return { ok: false, message: error.message };
    throw error;
  }
}

/** Parsing the result gives the same selector. */
export function formatLabelSelector(selector: LabelSelector): string {
  return selector.map(formatRequirement).join(',');
}

const operatorOf: Partial<Record<TokenKind, LabelRequirement['operator']>> = {
  in: 'in',
  notin: 'notIn',
  '=': 'in',
  '==': 'in',
  '!=': 'notIn',
  '>': 'gt',
  '<': 'lt',
};
const operatorNames = 'in, notin, =, ==, !=, gt, lt';

class SelectorSyntaxError extends Error {}

class Parser {
  readonly #tokens: readonly Token[];
  #position = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  selector(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    for (;;) {
      const token = this.#peek();
      if (token.kind === 'end') return requirements;
      if (token.kind !== 'word' && token.kind !== '!') throw found(token, ", expected: !, identifier, or 'end of string'");
      requirements.push(this.#requirement());
      const next = this.#take();
      if (next.kind === 'end') return requirements;
      if (next.kind !== ',') throw found(next, ", expected: ',' or 'end of string'");
      const following = this.#peek();
      if (following.kind !== 'word' && following.kind !== '!') throw found(following, ", expected: identifier after ','");
    }
  }

  #requirement(): LabelRequirement {
    try {
      const requirement = this.#uncheckedRequirement();
      const problems = requirementProblems(requirement);
      if (problems.length > 0) throw new SelectorSyntaxError(joinProblems(problems));
      return requirement;
    } catch (error) {
      if (error instanceof SelectorSyntaxError) throw new SelectorSyntaxError(`unable to parse requirement: ${error.message}`);
      throw error;
    }
  }

  #uncheckedRequirement(): LabelRequirement {
    const absent = this.#peek().kind === '!';
    if (absent) this.#take();
    const key = this.#key();
    if (absent) return { key, operator: 'doesNotExist', values: [] };
    const next = this.#peek().kind;
    if (next === 'end' || next === ',') return { key, operator: 'exists', values: [] };
    const token = this.#takeOperator();
    const operator = operatorOf[token.kind];
    if (operator === undefined) throw found(token, `, expected: ${operatorNames}`);
    return { key, operator, values: token.kind === 'in' || token.kind === 'notin' ? this.#values() : [this.#exactValue()] };
  }

  #key(): string {
    const token = this.#take();
    if (token.kind !== 'word') throw found(token, ', expected: identifier');
    const [problem] = keyProblems('<nil>', token.text);
    if (problem !== undefined) throw new SelectorSyntaxError(problem);
    return token.text;
  }

  #exactValue(): string {
    const next = this.#peek().kind;
    if (next === 'end' || next === ',') return '';
    const token = this.#take();
    if (token.kind !== 'word') throw found(token, ', expected: identifier');
    return token.text;
  }

  #values(): string[] {
    const open = this.#take();
    if (open.kind !== '(') throw found(open, " expected: '('");
    const first = this.#peek();
    if (first.kind === ')') {
      this.#take();
      return [''];
    }
    if (first.kind !== 'word' && first.kind !== ',') throw found(first, ", expected: ',', ')' or identifier");
    const values = this.#listedValues();
    this.#take();
    return [...values].sort();
  }

  /** Reads up to the closing parenthesis. A comma with no value on one side stands for the empty value. */
  #listedValues(): Set<string> {
    const values = new Set<string>();
    for (;;) {
      const token = this.#take();
      if (token.kind === 'word') {
        values.add(token.text);
        const next = this.#peek();
        if (next.kind === ')') return values;
        if (next.kind !== ',') throw found(next, ", expected: ',' or ')'");
      } else if (token.kind === ',') {
        if (values.size === 0) values.add('');
        const next = this.#peek();
        if (next.kind === ')') return values.add('');
        if (next.kind === ',') values.add('');
      } else {
        throw found(token, ", expected: ',', or identifier");
      }
    }
  }

  /** No operator can stand here, so `in` and `notin` are ordinary words. */
  #peek(): Token {
    const token = this.#tokens[this.#position] ?? endToken;
    return token.kind === 'in' || token.kind === 'notin' ? { kind: 'word', text: token.text } : token;
  }

  #take(): Token {
    const token = this.#peek();
    this.#position++;
    return token;
  }

  #takeOperator(): Token {
    return this.#tokens[this.#position++] ?? endToken;
  }
}

const endToken: Token = { kind: 'end', text: '' };
const found = ({ text }: Token, expected: string): SelectorSyntaxError => new SelectorSyntaxError(`found '${text}'${expected}`);

function formatRequirement({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case 'in':
      return values.length === 1 ? `${key}=${values[0]}` : `${key} in (${values.join(',')})`;
    case 'notIn':
      return values.length === 1 ? `${key}!=${values[0]}` : `${key} notin (${values.join(',')})`;
    case 'exists':
      return key;
    case 'doesNotExist':
      return `!${key}`;
    case 'gt':
      return `${key}>${values[0]}`;
    case 'lt':
      return `${key}<${values[0]}`;
  }
}
