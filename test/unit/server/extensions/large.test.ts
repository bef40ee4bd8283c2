import { expect } from 'chai';
import type { ApiObject, JsonObject } from '../../../../api/object.js';
import type { StatusError } from '../../../../api/status.js';
import { ownWrites } from '../../../../server/registry/ownWrites.js';
import { customResourceDefinitions } from '../../../../server/kinds/apiextensions.k8s.io/definitions.js';
import { definition, ExtensionServer } from './harness.js';
import { outcomeOf } from '../../../../server/registry/stepwise.js';
import { turns } from '../../../../workers/turns/turns.js';
import { inOneGo } from '../../../../api/steps.js';
import { reviewInSteps } from '../../../../server/kinds/apiextensions.k8s.io/schema/schema.js';
import { Path } from '../../../../server/registry/validation/field.js';

/** A schema of more than two thousand values, with one optional mistake. */
const large = (mistake: boolean): ApiObject => {
  const member = (position: number): JsonObject => ({ type: 'string', description: `Member ${position}.`, pattern: '^[a-z]+$' });
  const properties = Object.fromEntries(Array.from({ length: 1500 }, (_, position) => [`member${position}`, member(position)]));
  const spec = { type: 'object', properties: { ...properties, ...(mistake ? { wrong: { type: 'strange' } } : {}) } };
  return definition('bigs', 'Big', {
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } }],
  });
};
const servedAs = { apiVersion: 'apiextensions.k8s.io/v1' };

describe('large definitions', () => {
  it('are found to be what they are found to be at once, in several steps', () => {
    for (const mistake of [false, true]) {
      const [ahead, atOnce] = [large(mistake), large(mistake)];
      const steps = [...customResourceDefinitions.ahead!(ahead)].length;
      expect(steps).to.be.at.least(4);
      const printed = (object: ApiObject): string[] =>
        inOneGo(outcomeOf(customResourceDefinitions.validate!(object, servedAs))).map(({ path, message }) => `${String(path)} ${message}`);
      expect(printed(ahead)).to.deep.equal(printed(atOnce));
      expect(printed(ahead).some((text) => text.includes('strange'))).to.equal(mistake);
    }
  });

  it('are looked at in as many steps as they have properties', () => {
    const stepsOf = (count: number): number => {
      const properties = Object.fromEntries(
        Array.from({ length: count }, (_, position) => [`p${position}`, { type: 'string', default: 'x' }]),
      );
      return [...reviewInSteps({ schema: { type: 'object', properties }, hasStatus: false, path: Path.of('schema') })].length;
    };
    const [some, twice] = [stepsOf(10_000), stepsOf(20_000)];
    expect(some).to.be.at.least(900);
    expect(twice).to.be.within(1.9 * some, 2.1 * some);
  });

  it('give way to others while they are checked, and are refused all the same', async () => {
    const server = await ExtensionServer.start();
    try {
      const before = turns.steps;
      const error = await server.registry.create(server.definitionTarget(''), large(true), ownWrites).then(
        () => null,
        (reason: StatusError) => reason,
      );
      expect(error?.code).to.equal(422);
      expect(error?.message).to.contain('strange');
      expect(turns.steps - before).to.be.at.least(4);
      await server.define(large(false));
      // Compiled in advance.
      await server.registry.create(
        server.target('v1', 'bigs'),
        { apiVersion: 'example.com/v1', kind: 'Big', metadata: { name: 'x' }, spec: { member0: 'abc' } },
        ownWrites,
      );
      const wrong = await server.registry
        .create(
          server.target('v1', 'bigs'),
          { apiVersion: 'example.com/v1', kind: 'Big', metadata: { name: 'y' }, spec: { member0: '9' } },
          ownWrites,
        )
        .then(
          () => null,
          (reason: StatusError) => reason,
        );
      expect(wrong?.code).to.equal(422);
    } finally {
      server.stop();
    }
  });
});

describe('large custom objects', () => {
  it('give way to others before they are read and before they are compared, and are shown all the same', async () => {
    const server = await ExtensionServer.start();
    try {
      await server.define(definition('widgets', 'Widget'));
      const target = server.target('v1', 'widgets', '');
      const stepsWith = async (name: string, color: string): Promise<number> => {
        const before = turns.steps;
        const object = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name }, spec: { size: 1, color } } as ApiObject;
        const { item } = await server.registry.create(target, object, { ...ownWrites, dryRun: true });
        expect((JSON.parse(item.toString()) as JsonObject)['spec']).to.deep.equal({ size: 1, color });
        return turns.steps - before;
      };
      const small = await stepsWith('a', 'red');
      expect((await stepsWith('b', 'x'.repeat(300 * 1024))) - small).to.be.at.least(5);
    } finally {
      server.stop();
    }
  });
});
