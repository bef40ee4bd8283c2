import fs from 'node:fs';
import { isMap, isNode, isSeq, LineCounter, parseAllDocuments, type Document, type Node } from 'yaml';

export interface Manifest {
  readonly file: string;
  /** Null for a document that cannot be read. */
  readonly object: object | null;
  /** The text of the parser for such a document. */
  readonly unreadable: string | null;
  /** Returns the 1-based line of a field such as `spec.ports[0].name`, or of its closest existing parent. */
  readonly lineOf: (fieldPath: string) => number;
}

/** Documents may not grow by aliases beyond that. */
const aliasesMax = 100;

/** Returns all objects of a file, including the items of a List. `-` is standard input. */
export function readManifests(file: string): Manifest[] {
  const lines = new LineCounter();
  const text = fs.readFileSync(file === '-' ? process.stdin.fd : file, 'utf8');
  const documents: readonly Document[] = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false });
  return documents.flatMap((document) => manifestsOf(file, document, (offset) => lines.linePos(offset).line));
}

function manifestsOf(file: string, document: Document, lineAt: (offset: number) => number): Manifest[] {
  const [error] = document.errors;
  if (error !== undefined) return [{ file, object: null, unreadable: error.message, lineOf: () => lineAt(error.pos[0]) }];
  const root = document.contents;
  if (!isMap(root)) return [];
  const items = String(root.get('kind')).endsWith('List') ? root.get('items', true) : root;
  const nodes = isSeq(items) ? items.items : [root];
  return nodes.filter(isNode).map((node) => ({
    file,
    object: asObject(node.toJS(document, { maxAliasCount: aliasesMax })),
    unreadable: null,
    lineOf: (fieldPath) => lineAt(nodeAt(node, fieldPath).range?.[0] ?? 0),
  }));
}

const asObject = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {});

/** Follows a path as far as it exists. Keys with dots stand in brackets: `metadata.labels[app.kubernetes.io/name]`. */
function nodeAt(root: Node, fieldPath: string): Node {
  let found = root;
  for (const [, bracketed, plain] of fieldPath.matchAll(/\[([^\]]*)\]|([^.[]+)/g)) {
    if (!isMap(found) && !isSeq(found)) break;
    const step = bracketed ?? plain ?? '';
    const next = found.get(isSeq(found) ? Number(step) : step, true);
    if (!isNode(next)) break;
    found = next;
  }
  return found;
}
