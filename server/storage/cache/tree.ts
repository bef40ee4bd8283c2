import { compareKeys, scopeOf, type Place, type Selection } from '../matching.js';
import type { StoredItem } from '../storedObject.js';

/**
 * A copy-on-write B+tree of one resource's objects, ordered by key.
 *
 *     ObjectTree ──root──▶ Branch ─┬─▶ Leaf [a b c …]      every node counts the objects below it,
 *                                  └─▶ Leaf [k l m …]      so that counting and paging by position cost O(log n)
 *
 * `view` freezes the present state in O(1): a later write copies the nodes on its path, once.
 */

const nodeEntriesMax = 64;
/** Smaller nodes are joined with a neighbour. */
const nodeEntriesMin = nodeEntriesMax / 4;

interface Leaf {
  readonly epoch: number;
  readonly items: StoredItem[];
}
interface Branch {
  readonly epoch: number;
  readonly children: Node[];
  readonly firsts: StoredItem[];
  size: number;
}
type Node = Leaf | Branch;

const emptyLeaf = (): Node => ({ epoch: 0, items: [] });

/** Only the tree and the epoch that created a node change it. */
let lastEpoch = 0;

export class TreeView {
  constructor(protected root: Node) {}

  protected static rootOf(view: TreeView): Node {
    return view.root;
  }

  get size(): number {
    return sizeOf(this.root);
  }

  get(place: Place): StoredItem | null {
    let node = this.root;
    while (!('items' in node)) node = childAt(node, childFor(node, place));
    const item = node.items[lowerBound(node.items, place)];
    return item !== undefined && isAt(item, place) ? item : null;
  }

  rank(place: Place): number {
    let rank = 0;
    let node = this.root;
    while (!('items' in node)) {
      const index = childFor(node, place);
      for (let i = 0; i < index; i++) rank += sizeOf(childAt(node, i));
      node = childAt(node, index);
    }
    return rank + lowerBound(node.items, place);
  }

  range(selection: Selection): { readonly start: number; readonly end: number } {
    const { namespace, name } = scopeOf(selection, this.#namespaced);
    if (namespace === null) return { start: 0, end: this.size };
    if (name === null) return { start: this.rank({ namespace, name: '' }), end: this.rank({ namespace, name: afterAllNames }) };
    const place = { namespace, name };
    const start = this.rank(place);
    return { start, end: this.get(place) === null ? start : start + 1 };
  }

  /** Whether objects are namespaced; true for an empty tree. */
  get #namespaced(): boolean {
    return this.size === 0 || firstOf(this.root).namespace !== '';
  }

  /** May return fewer objects, but at least one. */
  slice(start: number, end: number): StoredItem[] {
    let offset = start;
    let node = this.root;
    while (!('items' in node)) {
      let index = 0;
      for (let size = sizeOf(childAt(node, 0)); offset >= size; size = sizeOf(childAt(node, ++index))) offset -= size;
      node = childAt(node, index);
    }
    return node.items.slice(offset, offset + end - start);
  }
}

/** Names never contain this non-character. */
const afterAllNames = '\uffff';

export class ObjectTree extends TreeView {
  #epoch = ++lastEpoch;
  #frozen: TreeView | null = null;
  #split: Node | null = null;
  #replaced: StoredItem | null = null;

  constructor(from?: TreeView) {
    super(from === undefined ? emptyLeaf() : TreeView.rootOf(from));
  }

  view(): TreeView {
    if (this.#frozen === null) {
      this.#frozen = new TreeView(this.root);
      this.#epoch = ++lastEpoch;
    }
    return this.#frozen;
  }

  /** Removes everything; frozen states stay. */
  clear(): void {
    this.root = emptyLeaf();
    this.#frozen = null;
  }

  set(item: StoredItem): StoredItem | null {
    this.#begin();
    const left = this.#put(this.root, item);
    const right = this.#split;
    this.root = right === null ? left : this.#branch([left, right]);
    return this.#replaced;
  }

  delete(place: Place): StoredItem | null {
    this.#begin();
    let root = this.#remove(this.root, place);
    while (!('items' in root) && root.children.length <= 1) root = root.children[0] ?? { epoch: this.#epoch, items: [] };
    this.root = root;
    return this.#replaced;
  }

  #begin(): void {
    this.#frozen = null;
    this.#split = null;
    this.#replaced = null;
  }

  #put(node: Node, item: StoredItem): Node {
    return 'items' in node ? this.#putInLeaf(node, item) : this.#putInBranch(node, item);
  }

  #putInLeaf(leaf: Leaf, item: StoredItem): Leaf {
    const own = this.#ownLeaf(leaf);
    const at = lowerBound(own.items, item);
    const present = own.items[at];
    if (present !== undefined && isAt(present, item)) {
      this.#replaced = present;
      own.items[at] = item;
      return own;
    }
    own.items.splice(at, 0, item);
    if (own.items.length > nodeEntriesMax) this.#split = { epoch: this.#epoch, items: own.items.splice(splitPoint(at, own.items.length)) };
    return own;
  }

  #putInBranch(branch: Branch, item: StoredItem): Branch {
    const own = this.#ownBranch(branch);
    const index = childFor(own, item);
    setChild(own, index, this.#put(childAt(own, index), item));
    const right = this.#split;
    this.#split = null;
    if (right !== null) {
      own.children.splice(index + 1, 0, right);
      own.firsts.splice(index + 1, 0, firstOf(right));
    }
    if (this.#replaced === null) own.size++;
    if (own.children.length > nodeEntriesMax) this.#split = this.#splitBranch(own, index);
    return own;
  }

  #splitBranch(own: Branch, index: number): Branch {
    const right = this.#branch(own.children.splice(splitPoint(index + 1, own.children.length)));
    own.firsts.length = own.children.length;
    own.size -= right.size;
    return right;
  }

  #remove(node: Node, place: Place): Node {
    if ('items' in node) return this.#removeFromLeaf(node, place);
    const index = childFor(node, place);
    const before = childAt(node, index);
    const child = this.#remove(before, place);
    if (this.#replaced === null) return node;
    const own = this.#ownBranch(node);
    own.size--;
    if (entriesOf(child) === 0) dropChild(own, index);
    else {
      setChild(own, index, child);
      if (entriesOf(child) < nodeEntriesMin) this.#join(own, index);
    }
    return own;
  }

  #removeFromLeaf(leaf: Leaf, place: Place): Leaf {
    const at = lowerBound(leaf.items, place);
    const present = leaf.items[at];
    if (present === undefined || !isAt(present, place)) return leaf;
    this.#replaced = present;
    const own = this.#ownLeaf(leaf);
    own.items.splice(at, 1);
    return own;
  }

  #join(own: Branch, index: number): void {
    const leftIndex = index + 1 < own.children.length ? index : index - 1;
    if (leftIndex < 0) return;
    const left = childAt(own, leftIndex);
    const right = childAt(own, leftIndex + 1);
    if (entriesOf(left) + entriesOf(right) > nodeEntriesMax / 2) return;
    setChild(own, leftIndex, this.#joined(left, right));
    dropChild(own, leftIndex + 1);
  }

  #joined(left: Node, right: Node): Node {
    if ('items' in left && 'items' in right) return { epoch: this.#epoch, items: [...left.items, ...right.items] };
    if (!('items' in left) && !('items' in right)) return this.#branch([...left.children, ...right.children]);
    throw new Error('broken invariant: siblings of a tree have different heights');
  }

  #ownLeaf(leaf: Leaf): Leaf {
    return leaf.epoch === this.#epoch ? leaf : { epoch: this.#epoch, items: leaf.items.slice() };
  }

  #ownBranch(branch: Branch): Branch {
    return branch.epoch === this.#epoch
      ? branch
      : { epoch: this.#epoch, children: branch.children.slice(), firsts: branch.firsts.slice(), size: branch.size };
  }

  #branch(children: Node[]): Branch {
    return { epoch: this.#epoch, children, firsts: children.map(firstOf), size: children.reduce((sum, child) => sum + sizeOf(child), 0) };
  }
}

/** Sorted insertion (loading) fills nodes. */
const splitPoint = (insertedAt: number, entries: number): number => (insertedAt === entries - 1 ? entries - 1 : entries >> 1);

const sizeOf = (node: Node): number => ('items' in node ? node.items.length : node.size);
const entriesOf = (node: Node): number => ('items' in node ? node.items.length : node.children.length);

function firstOf(node: Node): StoredItem {
  const first = 'items' in node ? node.items[0] : node.firsts[0];
  if (first === undefined) throw new Error('broken invariant: a tree has an empty node');
  return first;
}

function childAt(branch: Branch, index: number): Node {
  const child = branch.children[index];
  if (child === undefined) throw new Error(`broken invariant: a branch of ${branch.children.length} has no child ${index}`);
  return child;
}

function setChild(own: Branch, index: number, child: Node): void {
  own.children[index] = child;
  own.firsts[index] = firstOf(child);
}

function dropChild(own: Branch, index: number): void {
  own.children.splice(index, 1);
  own.firsts.splice(index, 1);
}

export const isAt = (item: StoredItem, place: Place): boolean => item.name === place.name && item.namespace === place.namespace;

function lowerBound(items: readonly StoredItem[], place: Place): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = items[middle];
    if (item !== undefined && compareKeys(item, place) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function childFor({ firsts }: Branch, place: Place): number {
  let low = 1;
  let high = firsts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const first = firsts[middle];
    if (first !== undefined && compareKeys(first, place) <= 0) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
