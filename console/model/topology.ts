import type { ApiObject, TreeNode } from './objects.js';

/** An object at its place in a drawing, in pixels. */
export interface DrawnNode {
  readonly object: ApiObject;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly children: readonly DrawnNode[];
  /** Number of omitted children, below the last one; null if all are drawn. */
  readonly more: { readonly count: number; readonly x: number; readonly y: number } | null;
}

export interface Drawing {
  readonly root: DrawnNode;
  readonly height: number;
  /** Lines from owners to dependents, as SVG path data. */
  readonly lines: readonly string[];
}

export const nodeHeight = 40;
const rowHeight = nodeHeight + 8;
const nodeWidthMax = 250;
const nodeWidthMin = 130;
const columnGap = 40;
const indent = 22;
const siblingsMax = 20;

interface Columns {
  readonly step: number;
  readonly nodeWidth: (depth: number) => number;
  /** True if owners are in the column before their dependents, otherwise in the row above. */
  readonly layered: boolean;
}

/** Draws owners to the left of their dependents, or above them if `width` is too small. Draws only some of many siblings, but always `self`. */
export function drawingOf(tree: TreeNode, width: number, self: string): Drawing {
  const columns = columnsFor(depthOf(tree), width);
  const lines: string[] = [];
  let row = 0;
  const place = (node: TreeNode, depth: number): DrawnNode => {
    const x = depth * columns.step;
    const own = columns.layered ? null : row++ * rowHeight;
    const shown = shownOf(node.children, self);
    const children = shown.map((child) => place(child, depth + 1));
    const count = node.children.length - shown.length;
    const more = count === 0 ? null : { count, x: x + columns.step, y: row++ * rowHeight };
    const [first, last] = [children[0], children.at(-1)];
    const y = own ?? (first === undefined || last === undefined ? row++ * rowHeight : (first.y + last.y) / 2);
    const nodeWidth = columns.nodeWidth(depth);
    for (const end of [...children, ...(more === null ? [] : [more])])
      lines.push(columns.layered ? curve(x + nodeWidth, y, end) : elbow(x + indent / 2, y, end));
    return { object: node.object, x, y, width: nodeWidth, children, more };
  };
  const root = place(tree, 0);
  return { root, height: row * rowHeight, lines };
}

function columnsFor(depth: number, width: number): Columns {
  const nodeWidth = Math.min(nodeWidthMax, Math.floor((width - depth * columnGap) / (depth + 1)));
  return nodeWidth >= nodeWidthMin
    ? { step: nodeWidth + columnGap, nodeWidth: () => nodeWidth, layered: true }
    : { step: indent, nodeWidth: (at) => Math.min(nodeWidthMax, Math.max(0, width - at * indent)), layered: false };
}

const depthOf = ({ children }: TreeNode): number => (children.length === 0 ? 0 : 1 + Math.max(...children.map(depthOf)));

function shownOf(children: readonly TreeNode[], self: string): readonly TreeNode[] {
  if (children.length <= siblingsMax) return children;
  const first = children.slice(0, siblingsMax);
  const own = children.slice(siblingsMax).find((child) => holds(child, self));
  return own === undefined ? first : [...first.slice(0, -1), own];
}

const holds = ({ object, children }: TreeNode, uid: string): boolean =>
  object.metadata.uid === uid || children.some((child) => holds(child, uid));

interface End {
  readonly x: number;
  readonly y: number;
}

function curve(fromX: number, y: number, end: End): string {
  const [from, to, middle] = [y + nodeHeight / 2, end.y + nodeHeight / 2, (fromX + end.x) / 2];
  return `M${fromX} ${from}C${middle} ${from} ${middle} ${to} ${end.x} ${to}`;
}

const elbow = (x: number, y: number, end: End): string => `M${x} ${y + nodeHeight}V${end.y + nodeHeight / 2}H${end.x}`;
