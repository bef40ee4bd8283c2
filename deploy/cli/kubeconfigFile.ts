import os from 'node:os';
import path from 'node:path';
import { isMap, isSeq, parse, parseDocument, type Document } from 'yaml';
import { makeFolder, readFileIfPresent, writeFileAtomically } from '../files.js';
import { contextOf } from './home.js';

/** Contexts of local clusters in the user's own kubeconfig. The rest of the file, comments included, stays unchanged. */

/** The first file of `$KUBECONFIG`, or `~/.kube/config`. */
export function personalKubeconfig(environment: NodeJS.ProcessEnv = process.env): string {
  const first = environment['KUBECONFIG']?.split(path.delimiter).find((file) => file !== '');
  return first ?? path.join(environment['HOME'] || os.homedir(), '.kube', 'config');
}

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: object }];
  readonly users: readonly [{ readonly user: object }];
}

const lists = ['clusters', 'users', 'contexts'] as const;

/** Adds or renews a cluster's context and makes it current. `text` is the cluster's kubeconfig. */
export function mergeContext(file: string, { name, text }: { readonly name: string; readonly text: string }): void {
  const {
    clusters: [{ cluster }],
    users: [{ user }],
  } = parse(text) as Kubeconfig;
  const entry = contextOf(name);
  const document = read(file);
  remove(document, entry);
  add(document, 'clusters', { name: entry, cluster });
  add(document, 'users', { name: entry, user });
  add(document, 'contexts', { name: entry, context: { cluster: entry, user: entry } });
  document.set('current-context', entry);
  write(file, document);
}

/** Removes a cluster's context; false when there was none. */
export function removeContext(file: string, name: string): boolean {
  if (readFileIfPresent(file) === null) return false;
  const document = read(file);
  const removed = remove(document, contextOf(name));
  if (removed && document.get('current-context') === contextOf(name)) document.set('current-context', '');
  if (removed) write(file, document);
  return removed;
}

function read(file: string): Document {
  const document = parseDocument(readFileIfPresent(file) ?? 'apiVersion: v1\nkind: Config\n');
  if (document.errors[0]) throw new Error(`${file} cannot be read: ${document.errors[0].message}`);
  return document;
}

function write(file: string, document: Document): void {
  makeFolder(path.dirname(file), 0o700);
  writeFileAtomically(file, document.toString({ lineWidth: 0 }), 0o600);
}

function add(document: Document, list: string, entry: object): void {
  const at = document.get(list);
  if (isSeq(at)) {
    // Lists in files from other programs may be in flow style: `[]`.
    at.flow = false;
    at.add(document.createNode(entry));
  } else {
    document.set(list, document.createNode([entry]));
  }
}

function remove(document: Document, name: string): boolean {
  let removed = false;
  for (const list of lists) {
    const at = document.get(list);
    if (!isSeq(at)) continue;
    const before = at.items.length;
    at.items = at.items.filter((item) => !(isMap(item) && item.get('name') === name));
    removed ||= at.items.length < before;
  }
  return removed;
}
