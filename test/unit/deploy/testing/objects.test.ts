import { expect } from 'chai';
import { ConnectionError } from '../../../../controllers/client/errors.js';
import type { RestApi } from '../../../../controllers/client/rest.js';
import { Objects, objectsOf } from '../../../../deploy/testing/objects.js';
import { eventually, NotInTime } from '../../../../deploy/testing/waiting.js';

describe('testing/objects', () => {
  it('takes YAML of several documents apart, and lists', () => {
    const text =
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\n# nothing\n---\napiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Secret, metadata: {name: b}}\n';
    expect(objectsOf(text).map(({ kind, metadata }) => `${kind} ${metadata.name}`)).to.deep.equal(['ConfigMap a', 'Secret b']);
  });

  it('says what is missing of what cannot be applied', () => {
    expect(() => objectsOf({ apiVersion: 'v1', kind: 'ConfigMap', metadata: {} })).to.throw(
      'needs apiVersion, kind and metadata.name: {"apiVersion"',
    );
    expect(() => objectsOf('kind: [')).to.throw();
  });
});

describe('testing/objects of servers that fail', () => {
  const one = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one', namespace: 'default' } };
  const discovered = {
    items: [
      {
        metadata: {},
        versions: [{ version: 'v1', resources: [{ resource: 'configmaps', responseKind: { kind: 'ConfigMap' }, scope: 'Namespaced' }] }],
      },
    ],
  };

  it('leaves one that does not answer, and gives the next twice the time', async () => {
    let left = 0;
    const patience: (number | undefined)[] = [];
    const api = {
      with: ({ timeoutMs }: { readonly timeoutMs?: number }) => ({
        read: () => Promise.resolve(discovered),
        get: () => {
          patience.push(timeoutMs);
          return left === 0 ? Promise.reject(new ConnectionError('it did not answer', false)) : Promise.resolve(one);
        },
      }),
    } as unknown as RestApi;
    const objects = new Objects({
      api: () => api,
      leave: () => {
        left += 1;
      },
    });
    expect(await objects.get(one)).to.equal(one);
    expect(left).to.equal(1);
    expect(patience[1]).to.equal(2 * patience[0]!);
  });
});

describe('testing/eventually', () => {
  it('tries until an attempt neither throws nor says no, and gives its result', async () => {
    let turn = 0;
    const result = await eventually(
      () => {
        turn += 1;
        if (turn === 1) throw new Error('early');
        return turn === 2 ? false : `turn ${turn}`;
      },
      { everyMs: 1 },
    );
    expect(result).to.equal('turn 3');
    expect(await eventually(() => undefined)).to.equal(undefined);
  });

  it('says in the end what the last attempt said', async () => {
    const error = await eventually(
      () => {
        throw new Error('three, not two');
      },
      { timeoutMs: 5, everyMs: 1 },
    ).then(
      () => null,
      (failed: unknown) => failed,
    );
    expect(error).to.be.instanceOf(NotInTime);
    expect((error as Error).message).to.equal('not within 5 ms: three, not two');
  });
});
