import { expect } from 'chai';
import type { ApiObject } from '../../../../api/object.js';
import { heavyValues, isHeavy } from '../../../../server/registry/turns.js';
import { createSample, type Sample } from './sample.js';

const configMap = (entries: number): ApiObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a' },
  data: Object.fromEntries(Array.from({ length: entries }, (_item, index) => [`key-${index}`, 'text'])),
});

/** Turns of the event loop during the work. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  const beat = (): void => {
    turns++;
    timer = setImmediate(beat);
  };
  let timer = setImmediate(beat);
  await work();
  clearImmediate(timer);
  return turns;
}

describe('registry/turns', () => {
  let sample: Sample;

  beforeEach(async () => {
    sample = await createSample();
  });

  it('knows a heavy object from a light one, wherever its values are', () => {
    expect(isHeavy(configMap(heavyValues))).to.equal(true);
    expect(isHeavy({ spec: { lists: Array.from({ length: 60 }, () => Array.from({ length: 60 }, () => 0)) } })).to.equal(true);
    expect(isHeavy(configMap(heavyValues - 100))).to.equal(false);
    expect(isHeavy(undefined)).to.equal(false);
  });

  it('lets others have turns between the steps of writing a large object, and only of a large one', async () => {
    const light = await turnsDuring(() => sample.create({ ...configMap(10), metadata: { name: 'light' } }));
    const created = await turnsDuring(() => sample.create(configMap(3 * heavyValues)));
    const updated = await turnsDuring(() =>
      sample.update(configMap(3 * heavyValues), (object) => {
        (object['data'] as Record<string, string>)['key-1'] = 'other';
      }),
    );
    expect(created - light).to.be.at.least(4);
    expect(updated - light).to.be.at.least(4);
    await sample.create({ ...configMap(10), metadata: { name: 'b' } });
    const grown = await turnsDuring(() =>
      sample.update({ ...configMap(10), metadata: { name: 'b' } }, (object) => {
        object['data'] = configMap(3 * heavyValues)['data'];
      }),
    );
    expect(grown - light).to.be.at.least(4);
  });
});
