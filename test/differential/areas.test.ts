import assert from 'node:assert/strict';
import { areas } from './areas/index.js';
import { sequenceOf } from './campaign.js';
import { sampledResources, servedResources } from './samples.js';

const cases = 200;

describe('areas of cases', () => {
  for (const area of areas)
    describe(area.name, () => {
      const all = Array.from({ length: cases }, (_, index) => sequenceOf({ area, seed: 1, index }));

      it('makes the same case for the same seed, and others for others', () => {
        assert.deepEqual(sequenceOf({ area, seed: 1, index: 7 }), all[7]);
        assert.ok(new Set(all.map((sequence) => JSON.stringify(sequence))).size > cases / 2);
      });

      it('sends requests of a method and a path', () => {
        const odd = all.flatMap(({ steps }) => steps).filter((step) => step.do !== undefined && !/^[A-Z]+ \/\S*$/.test(step.do));
        assert.deepEqual(odd, []);
      });
    });
});

describe('samples', () => {
  it('are there for all that can be created, but for what is sent to other objects', () => {
    const sampled = new Set(sampledResources().map(({ resource: { group, resource } }) => `${resource}.${group}`));
    const without = servedResources()
      .filter(({ verbs, group, resource }) => verbs.has('create') && !sampled.has(`${resource}.${group}`))
      .map(({ group, resource }) => `${resource}.${group}`);
    assert.deepEqual(without, [
      'bindings.',
      'selfsubjectreviews.authentication.k8s.io',
      'localsubjectaccessreviews.authorization.k8s.io',
      'selfsubjectrulesreviews.authorization.k8s.io',
    ]);
  });
});
