import type { JsonObject, JsonValue } from '../../../../api/object.js';
import { isObject } from '../../../../api/json/json.js';
import { StatusError } from '../../../../api/status.js';
import { sampledResources } from '../../../differential/samples.js';
import { createSample } from './sample.js';

/** Inherited names of objects: tables indexed by client text must not find them. */
const inherited = ['constructor', '__proto__'];

/** Replaces each text of a value in turn. */
function* replaced(value: JsonValue, text: string): Generator<JsonValue> {
  if (typeof value === 'string') yield text;
  else if (Array.isArray(value))
    for (const [position, item] of value.entries()) for (const other of replaced(item, text)) yield value.with(position, other);
  else if (isObject<JsonObject>(value))
    for (const [name, member] of Object.entries(value))
      if (member !== undefined) for (const other of replaced(member, text)) yield { ...value, [name]: other };
}

const more: Readonly<Record<string, JsonObject>> = {
  secrets: { apiVersion: 'v1', kind: 'Secret', metadata: {}, type: 'Opaque', data: { a: 'Yg==' } },
};

describe('registry, texts that are names of inherited members', () => {
  for (const { resource, objects } of sampledResources())
    it(`are texts like any others in ${resource.resource}.${resource.group}/${resource.version}`, async () => {
      const sample = await createSample({ admission: true });
      // Pod admission waits for the account.
      await sample.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'default' } });
      const faults: string[] = [];
      let written = 0;
      // Further recordings of a kind mostly have the same members.
      for (const object of [
        ...objects.slice(0, 2),
        ...(resource.group === '' && more[resource.resource] !== undefined ? [more[resource.resource]!] : []),
      ])
        for (const text of inherited)
          for (const content of replaced(contentOf(object), text)) {
            const metadata = {
              ...(object['metadata'] as JsonObject),
              name: `n${++written}`,
              namespace: resource.namespaced ? 'default' : '',
            };
            const made = { apiVersion: object['apiVersion'], kind: object['kind'], metadata, ...(content as JsonObject) } as JsonObject;
            await sample.create(made).catch((error: unknown) => {
              if (!(error instanceof StatusError)) faults.push(`${String(error)} by ${JSON.stringify(content)}`);
            });
          }
      if (faults.length > 0) throw new Error(faults.slice(0, 3).join('\n'));
    });
});

const contentOf = ({ apiVersion: _version, kind: _kind, metadata: _metadata, ...content }: JsonObject): JsonObject => content;
