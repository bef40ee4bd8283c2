import { leaf, type Schema } from '../../../../../server/patch/apply/schema.js';

/** A small type with every merge strategy, independent of the catalogue. */
const struct = (fields: Record<string, Schema>, atomic = false): Schema => ({
  kind: 'struct',
  atomic,
  field: (name) => fields[name],
  always: [],
});
const map = (element: Schema, atomic = false): Schema => ({ kind: 'map', atomic, element });
const port = struct({ port: leaf, protocol: leaf, name: leaf });
const item = struct({ name: leaf, value: leaf, nested: struct({ a: leaf, b: leaf }) });

export const widget: Schema = struct({
  apiVersion: leaf,
  kind: leaf,
  metadata: struct({
    name: leaf,
    labels: map(leaf),
    annotations: map(leaf),
    finalizers: { kind: 'list', relationship: 'set', element: leaf },
  }),
  spec: struct({
    replicas: leaf,
    text: leaf,
    selector: struct({ matchLabels: map(leaf) }, true),
    args: { kind: 'list', relationship: 'atomic', element: leaf },
    items: { kind: 'list', relationship: 'map', element: item, keys: [{ name: 'name', default: null }] },
    ports: {
      kind: 'list',
      relationship: 'map',
      element: port,
      keys: [
        { name: 'port', default: null },
        { name: 'protocol', default: 'TCP' },
      ],
    },
    template: struct({ a: leaf, labels: map(leaf) }),
    open: { kind: 'struct', atomic: false, field: (name) => (name === 'known' ? leaf : undefined), open: true, always: [] },
  }),
});
