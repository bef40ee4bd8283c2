import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Node } from 'yaml';

const leadingPath = /^[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*|\[\d+\])*/;

/** Adds to each error the line of the member at its path (relative to `below`), or of the parent that lacks it. */
export function withLines(text: string, problems: readonly string[], below = ''): readonly string[] {
  const counter = new LineCounter();
  const { contents } = parseDocument(text, { lineCounter: counter, logLevel: 'silent' });
  const start = segments(below);
  return problems.map((problem) => {
    const offset = offsetOf(contents, start, segments(leadingPath.exec(problem)?.[0] ?? ''));
    return offset === null ? problem : `line ${counter.linePos(offset).line}: ${problem}`;
  });
}

const segments = (path: string): readonly string[] => path.match(/[\w-]+/g) ?? [];

/** Returns the offset of the member or its closest ancestor; null without one. */
function offsetOf(root: Node | null, start: readonly string[], path: readonly string[]): number | null {
  let [node, offset]: [unknown, number | null] = [root, null];
  for (const [depth, name] of [...start, ...path].entries()) {
    const next = childOf(node, name);
    if (next === null) break;
    node = next.node;
    if (depth >= start.length) offset = next.offset;
  }
  return offset;
}

function childOf(node: unknown, name: string): { readonly node: unknown; readonly offset: number } | null {
  if (isMap(node)) {
    const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === name);
    const key = pair?.key as Node | undefined;
    return pair === undefined ? null : { node: pair.value, offset: key?.range?.[0] ?? 0 };
  }
  const item = isSeq(node) ? (node.items[Number(name)] as Node | undefined) : undefined;
  return item === undefined ? null : { node: item, offset: item.range?.[0] ?? 0 };
}
