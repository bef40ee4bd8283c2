import type { ShardField, ShardSelector } from '../../../api/shards.js';
import { badRequest } from '../../../api/status.js';
import { dottedName, parse, type Expression } from '../../../cel/check/parser.js';
import { SyntaxProblem } from '../../../cel/check/tokens.js';

const fields: ReadonlyMap<string, ShardField> = new Map([
  ['object.metadata.uid', 'uid'],
  ['object.metadata.namespace', 'namespace'],
]);
/** The end of all 64-bit hashes; the only bound with another digit. */
const end = '0x10000000000000000';
const [digits, quoted] = [/^0x[0-9a-f]{16}$/, /^[rR]?("""|'''|"|')([^\\]*)\1$/];

type Range = ShardSelector['ranges'][number];

/** Parses `shardRange(object.metadata.uid, '0x…', '0x…')`, joined by `||`, without evaluating CEL. Throws 400. */
export function parseShardSelector(text: string): ShardSelector | null {
  if (text === '') return null;
  try {
    const parts = partsOf(parse(text.trim()));
    const [first] = parts;
    if (first === undefined) throw new Error('broken invariant: an expression has a part');
    const other = parts.find(({ path }) => path !== first.path);
    if (other !== undefined)
      throw badRequest(`all shard ranges must use the same field, got ${JSON.stringify(first.path)} and ${JSON.stringify(other.path)}`);
    return { field: first.field, ranges: parts.map(({ range }) => range), text };
  } catch (error) {
    throw badRequest(`invalid shardSelector: ${(error as Error).message}`);
  }
}

interface Part {
  readonly path: string;
  readonly field: ShardField;
  readonly range: Range;
}

function partsOf(expression: Expression): Part[] {
  if (expression.kind !== 'call') throw new SyntaxProblem(expression.at, `unexpected ${expression.kind}: shardRange() or || is expected`);
  const { name, target, args } = expression;
  if (name === '_||_') return args.flatMap(partsOf);
  if (name !== 'shardRange' || target !== null)
    throw new SyntaxProblem(expression.at, `unsupported function ${JSON.stringify(name)}; only shardRange() and || are allowed`);
  const [path, from, below] = args;
  if (path === undefined || from === undefined || below === undefined || args.length > 3)
    throw new SyntaxProblem(expression.at, `shardRange() requires exactly 3 arguments, got ${args.length}`);
  return [{ ...fieldOf(path), range: rangeOf(bound(from, 'hexStart'), bound(below, 'hexEnd')) }];
}

function fieldOf(expression: Expression): Pick<Part, 'path' | 'field'> {
  const path = dottedName(expression);
  const field = fields.get(path ?? '');
  if (path === null || field === undefined)
    throw new SyntaxProblem(expression.at, `unsupported field path ${JSON.stringify(path)}; supported: ${[...fields.keys()].join(', ')}`);
  return { path, field };
}

function bound(expression: Expression, name: string): string {
  const [, , value] = (expression.kind === 'literal' && expression.type === 'string' ? quoted.exec(expression.text) : null) ?? [];
  if (value === undefined) throw new SyntaxProblem(expression.at, `${name} must be a string literal (e.g. '0x00000000000000ff')`);
  if (value !== end && !digits.test(value))
    throw new SyntaxProblem(expression.at, `${name} must be a 0x-prefixed 16-digit hex value or '${end}', got ${JSON.stringify(value)}`);
  return value;
}

function rangeOf(from: string, below: string): Range {
  const range = { from: BigInt(from), below: BigInt(below) };
  if (range.from >= range.below) throw badRequest(`shard range start ${from} must be less than end ${below}`);
  return range;
}
