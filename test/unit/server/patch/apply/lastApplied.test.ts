import { expect } from 'chai';
import type { ApiObject, JsonObject } from '../../../../../api/object.js';
import { apply } from '../../../../../server/patch/apply/apply.js';
import { realConflicts, withLastConfiguration } from '../../../../../server/patch/apply/lastApplied.js';
import { ownUpdate, type Versions } from '../../../../../server/patch/apply/ownership.js';
import { emptyValue } from '../../../../../server/patch/apply/schema.js';
import { widget } from './schemas.js';
import { inOneGo } from '../../../../../api/steps.js';

const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
const now = '2026-01-01T00:00:00Z';
const versions: Versions = { schemaOf: () => widget, convert: (object) => object };
const object = (spec: JsonObject, last?: unknown): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Widget',
  metadata: {
    name: 'w',
    ...(last === undefined ? {} : { annotations: { [annotation]: typeof last === 'string' ? last : JSON.stringify(last) } }),
  },
  spec,
});

/** The fields in conflict when `config` is applied over an update's `live`. */
function disputed(live: ApiObject, config: ApiObject): unknown {
  const managers = inOneGo(
    ownUpdate(
      { before: emptyValue(widget) as ApiObject, after: live },
      new Map(),
      { id: { manager: 'kubectl-client-side-apply', operation: 'Update', apiVersion: 'v1', subresource: '' }, now },
      versions,
    ),
  );
  const result = inOneGo(
    apply(
      { live, config },
      managers,
      { id: { manager: 'kubectl', operation: 'Apply', apiVersion: 'v1', subresource: '' }, now, force: false },
      versions,
    ),
  );
  return result.ok ? [] : inOneGo(realConflicts(result.conflicts, live, widget, 'v1')).map(({ fields }) => fields.toFieldsV1());
}

describe('the last configuration of an applying client', () => {
  it('has all members in the order of texts, numerals too', () => {
    const config = object({ map: { '10': 'a', '9': 'b', '-': 'c' } } as JsonObject, {});
    const text = withLastConfiguration(config, config).metadata.annotations?.[annotation];
    expect(text).to.contain('"map":{"-":"c","10":"a","9":"b"}');
  });

  it('frees the fields that still are as it says', () => {
    expect(
      disputed(object({ replicas: 1, text: 'a' }, object({ replicas: 1, text: 'a' })), object({ replicas: 2, text: 'b' })),
    ).to.deep.equal([]);
  });

  it('does not free what was changed since, nor what it never set', () => {
    const live = object({ replicas: 5, text: 'a', args: ['x'] }, object({ replicas: 1, text: 'a' }));
    expect(disputed(live, object({ replicas: 2, text: 'b', args: ['y'] }))).to.deep.equal([
      { 'f:spec': { 'f:args': {}, 'f:replicas': {} } },
    ]);
  });

  for (const [what, last] of [
    ['absent', undefined],
    ['no JSON', '{'],
    ['no object', '[]'],
    ['of another version', { ...object({ replicas: 1 }), apiVersion: 'v2' }],
    ['bottomless', `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`],
  ] as const) {
    it(`frees nothing when it is ${what}`, () => {
      expect(disputed(object({ replicas: 1 }, last), object({ replicas: 2 }))).to.deep.equal([{ 'f:spec': { 'f:replicas': {} } }]);
    });
  }

  it('is kept up to date where there is one, in the words of the client', () => {
    const config = { ...object({ text: '<b>' }), metadata: { name: 'w', annotations: { [annotation]: 'old', other: 'x' } } } as ApiObject;
    const kept = withLastConfiguration(object({}, 'old'), config).metadata.annotations;
    expect(kept?.[annotation]).to.equal(
      '{"apiVersion":"v1","kind":"Widget","metadata":{"annotations":{"other":"x"},"name":"w"},"spec":{"text":"\\u003cb\\u003e"}}\n',
    );
    expect(withLastConfiguration(object({}), config)).to.deep.equal(object({}));
    expect(withLastConfiguration(object({}, 'old'), object({ text: 'x'.repeat(300_000) })).metadata.annotations).to.deep.equal({});
  });
});
