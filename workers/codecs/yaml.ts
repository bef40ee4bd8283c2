import {
  Composer,
  Lexer,
  LineCounter,
  Parser,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Alias,
  type CST,
  type Document,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import type { Codec, DecodeOptions, DecodeResult } from './contract.js';
import { countMembers, parseJson } from './json.js';
import { isMembers, type Json, type JsonMembers } from './value.js';
import { writeYaml } from './yamlWriter.js';
import { resolvePlain, type PlainScalar } from './yamlScalars.js';

/**
 * Reads YAML as Kubernetes does: the first document, as JSON with sorted members. An alias counts as its whole content, which bounds the growth of a small
 * text. Duplicates are reported like the reference's: `line 7: key "a" already set in map`.
 */
const aliasedNodesMax = 100_000;

/** Bounds nesting before the recursive composer, as a thread with an exhausted stack cannot even throw reliably. */
const nestingMax = 200;

/**
 * Counts names, values, marks, spaces and line ends. A real text of 3 MiB has some 600,000; one of only dashes has millions, which take half a minute and a
 * gigabyte.
 */
const lexemesMax = 600_000;

/** A node may have one anchor and one tag. The library collects all before it reports an error. */
const propertiesMax = 4;

class YamlFailure extends Error {}

export const yamlCodec: Codec = {
  name: 'yaml',
  mediaType: 'application/yaml',
  decode(bytes: Uint8Array, options: DecodeOptions): DecodeResult {
    try {
      return jsonInYaml(bytes, options) ?? decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'), options);
    } catch (error) {
      if (error instanceof YamlFailure) return { ok: false, message: error.message };
      throw error;
    }
  },
  encode: (value: unknown): Buffer => Buffer.from(writeYaml(value), 'utf8'),
};

/** JSON is valid YAML, and fifty times faster to read as JSON. The YAML reader handles duplicates, and errors that JSON words differently. */
const jsonInYaml = (bytes: Uint8Array, { depthMax }: DecodeOptions): DecodeResult | undefined => {
  if (bytes[0] !== openingBrace) return undefined;
  const document = parseJson(bytes, { depthMax, keepLiterals: false });
  return document.ok && countMembers(document.value) === document.members ? { ok: true, value: document.value, duplicates: [] } : undefined;
};

const wordings: readonly (readonly [RegExp, string])[] = [
  [/^Tabs are not allowed/, 'found a tab character that violates indentation'],
  [/^Nested mappings are not allowed/, 'mapping values are not allowed in this context'],
  [/^Flow sequence/, "did not find expected ',' or ']'"],
  [/^Flow map/, "did not find expected ',' or '}'"],
];
const endsOpen = /[[{,]\s*$/;
const wording = (message: string, text: string): string => {
  if (/^Flow (?:sequence|map)/.test(message) && endsOpen.test(text)) return 'did not find expected node content';
  return wordings.find(([pattern]) => pattern.test(message))?.[1] ?? message.split(/ at line |\n/)[0] ?? message;
};

const openingBrace = 0x7b;

const decode = (text: string, options: DecodeOptions): DecodeResult => {
  const lines = new LineCounter();
  const document = firstDocument(text, lines);
  if (document === undefined) return { ok: true, value: null, duplicates: [] };
  const problem = document.errors[0];
  if (problem !== undefined) throw new YamlFailure(`yaml: line ${lines.linePos(problem.pos[0]).line}: ${wording(problem.message, text)}`);
  const builder = new Builder(lines, options.depthMax);
  return {
    ok: true,
    value: builder.value(document.contents as Node | null, 1),
    duplicates: options.findDuplicates ? builder.duplicates : [],
  };
};

/** Reads no later documents. Plain scalars stay text here and are resolved later. */
const firstDocument = (text: string, lines: LineCounter): Document.Parsed | undefined => {
  const composer = new Composer({
    schema: 'failsafe',
    uniqueKeys: false,
    merge: false,
    strict: true,
    prettyErrors: false,
    logLevel: 'silent',
    lineCounter: lines,
  });
  for (const document of composer.compose(shallowTokens(text, lines))) return document as Document.Parsed;
  return undefined;
};

/** Stops at the first collection that is too deep, or node with too many properties. */
function* shallowTokens(text: string, lines: LineCounter): Generator<CST.Token> {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let [lexemes, properties] = [0, 0];
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme);
    if (parser.stack.length > nestingMax) throw new YamlFailure('yaml: exceeded max depth');
    if (++lexemes > lexemesMax) throw new YamlFailure(`yaml: document has more than ${lexemesMax} parts`);
    if (property.test(lexeme)) properties++;
    else if (!betweenProperties.test(lexeme)) properties = 0;
    if (properties > propertiesMax) throw new YamlFailure('yaml: did not find expected node content');
  }
  yield* parser.end();
}

/** Scalars that begin like this follow another mark, so they do not match. */
const property = /^[&!]/;
const betweenProperties = /^[ \t\r\n#]/;

class Builder {
  readonly #lines: LineCounter;
  readonly #depthMax: number;
  readonly duplicates: string[] = [];
  #aliased = 0;
  #insideAlias = 0;

  /** An alias means the latest anchor before it. The library's lookup walks the whole document each time. */
  readonly #anchors = new Map<string, Node>();

  constructor(lines: LineCounter, depthMax: number) {
    this.#lines = lines;
    this.#depthMax = depthMax;
  }

  value(node: Node | null, depth: number): Json {
    if (depth > this.#depthMax) throw new YamlFailure('yaml: exceeded max depth');
    if (this.#insideAlias > 0 && ++this.#aliased > aliasedNodesMax) throw new YamlFailure('yaml: document contains excessive aliasing');
    if (node === null) return null;
    if (isAlias(node)) return this.#alias(node, depth);
    this.#remember(node);
    if (isScalar(node)) return jsonScalar(scalarValue(node));
    if (isSeq(node)) return node.items.map((item) => this.value(item as Node | null, depth + 1));
    return isMap(node) ? this.#map(node, depth) : null;
  }

  #alias(node: Alias, depth: number): Json {
    this.#insideAlias++;
    const value = this.value(this.#target(node), depth + 1);
    this.#insideAlias--;
    return value;
  }

  #target(node: Alias): Node {
    const target = this.#anchors.get(node.source);
    if (target === undefined) throw new YamlFailure(`yaml: unknown anchor '${node.source}' referenced`);
    return target;
  }

  #remember(node: Node): void {
    const { anchor } = node as { anchor?: string };
    if (anchor !== undefined && this.#insideAlias === 0) this.#anchors.set(anchor, node);
  }

  #map(node: YAMLMap, depth: number): JsonMembers {
    const members = new Map<string, Json>();
    const merged = new Map<string, Json>();
    for (const pair of node.items as Pair<Node | null, Node | null>[]) {
      if (isMergeKey(pair.key)) this.#merge(merged, pair.value, depth);
      else this.#member(members, pair, depth);
    }
    for (const [name, value] of merged) if (!members.has(name)) members.set(name, value);
    const names = [...members.keys()].sort();
    // Object.fromEntries makes `__proto__` an ordinary member.
    return Object.fromEntries(names.map((name) => [name, members.get(name) ?? null]));
  }

  #member(members: Map<string, Json>, { key, value }: Pair<Node | null, Node | null>, depth: number): void {
    const name = this.#key(key);
    // Values are read first, so their messages come first.
    const read = this.value(value, depth + 1);
    if (members.has(name) && this.#insideAlias === 0)
      this.duplicates.push(`line ${this.#lines.linePos(key?.range?.[0] ?? 0).line}: key ${JSON.stringify(name)} already set in map`);
    members.set(name, read);
  }

  /** The first merged map wins, and the map's own members win over all. */
  #merge(merged: Map<string, Json>, node: Node | null, depth: number): void {
    const value = this.value(node, depth + 1);
    for (const source of Array.isArray(value) ? value : [value]) {
      if (!isMembers(source)) throw new YamlFailure('yaml: map merge requires map or sequence of maps as the value');
      for (const [name, member] of Object.entries(source)) if (!merged.has(name)) merged.set(name, member);
    }
  }

  /** JSON names are strings: booleans and numbers are spelled out. */
  #key(node: Node | null): string {
    const target = isAlias(node) ? this.#target(node) : node;
    if (!isScalar(target)) throw new YamlFailure('yaml: invalid map key');
    this.#remember(target);
    const value = scalarValue(target);
    if (value === null) throw new YamlFailure('unsupported map key of type: nil, key: <nil>');
    return String(value);
  }
}

const isMergeKey = (node: Node | null): boolean => isScalar(node) && node.type === 'PLAIN' && node.source === '<<';

const tagPattern = /^(?:!!|tag:yaml\.org,2002:)(\w+)$/;

const scalarValue = (node: Scalar): PlainScalar => {
  const text = typeof node.value === 'string' ? node.value : (node.source ?? '');
  const tag = tagPattern.exec(node.tag ?? '')?.[1];
  if (tag === 'str' || tag === 'timestamp') return text;
  if (tag === 'binary') return Buffer.from(text, 'base64').toString('utf8');
  if (tag === 'float' || tag === 'int' || tag === 'bool' || tag === 'null') return taggedValue(tag, text);
  return node.type === 'PLAIN' || node.type === undefined ? resolvePlain(text) : text;
};

const taggedValue = (tag: 'float' | 'int' | 'bool' | 'null', text: string): PlainScalar => {
  const value = resolvePlain(text);
  const matches = {
    float: typeof value === 'number' || typeof value === 'bigint',
    int: Number.isInteger(value) || typeof value === 'bigint',
    bool: typeof value === 'boolean',
    null: value === null,
  };
  if (!matches[tag]) throw new YamlFailure(`yaml: cannot decode !!str \`${text.slice(0, 10)}\` as a !!${tag}`);
  return value;
};

const jsonScalar = (value: PlainScalar): Json => {
  if (typeof value !== 'number' || Number.isFinite(value)) return value;
  throw new YamlFailure(`json: unsupported value: ${Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'}`);
};
