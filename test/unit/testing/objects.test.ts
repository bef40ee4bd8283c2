import { expect } from 'chai';
import { objectsOf } from '../../../deploy/testing/objects.js';
import { eventually, NotInTime } from '../../../deploy/testing/waiting.js';

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
