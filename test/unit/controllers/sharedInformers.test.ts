import { expect } from 'chai';
import type { WatchOptions } from '../../../controllers/client/api.js';
import { controllerCatalogue } from '../../../controllers/catalogue.js';
import { groupResourceOf, type Resource } from '../../../api/meta/resource.js';
import { controllerWorld } from '../../fixtures/controllerHarness.js';

const metadata = 'metadata';
const selectionOf = ({ namespace = '', fieldSelector = '', labelSelector = '', metadataOnly = false }: WatchOptions): string =>
  [namespace, fieldSelector, labelSelector].join(' ').trim() || (metadataOnly ? metadata : '');

/** Two controllers watch these few objects separately. */
const bootstrapTokens = 'kube-system type=bootstrap.kubernetes.io/token';

describe('what a manager with all controllers watches', () => {
  it('is each type once, as a whole or in parts that have nothing in common', async () => {
    const world = controllerWorld({ rootCa: 'PEM', flags: ['--allocate-node-cidrs', '--cluster-cidr=10.0.0.0/16'] });
    const watched = new Map<string, string[]>();
    const watch = world.api.watch.bind(world.api);
    world.api.watch = (type, options) => {
      const name = groupResourceOf(type as Resource);
      watched.set(name, [...(watched.get(name) ?? []), selectionOf(options)]);
      return watch(type, options);
    };
    for (const { make } of controllerCatalogue) await world.start(make);
    expect(watched.size).to.be.greaterThan(30);
    for (const [type, all] of watched) {
      const selections = all.filter((selection) => selection !== bootstrapTokens);
      expect(new Set(selections).size, `${type}: ${selections.join(', ')}`).to.equal(selections.length);
      // The garbage collector needs the metadata of all objects.
      if (selections.includes('')) expect(selections, type).to.deep.equal(['']);
    }
    await world.stop();
  });
});
