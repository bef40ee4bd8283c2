import { expect } from 'chai';
import { Parts } from '../../../../server/assembly/parts.js';

describe('assembly/parts', () => {
  const logged: string[] = [];
  const done: string[] = [];
  const parts = (): Parts => new Parts({ error: (event, fields) => logged.push(`${event} ${JSON.stringify(fields)}`) });

  beforeEach(() => {
    logged.length = 0;
    done.length = 0;
  });

  it('start in the order in which they began, and end in reverse, each before the next', async () => {
    const all = parts();
    for (const name of ['store', 'API', 'listener'])
      all.add({
        name,
        ...(name === 'API' ? {} : { start: () => done.push(`${name} starts`) }),
        stop: async () => {
          await Promise.resolve();
          done.push(`${name} ends`);
        },
      });
    all.start();
    await all.stop();
    expect(done).to.deep.equal(['store starts', 'listener starts', 'listener ends', 'API ends', 'store ends']);
  });

  it('end although one of them fails, which is reported', async () => {
    const all = parts();
    all.add({ name: 'store', stop: () => done.push('store ends') });
    all.add({
      name: 'API',
      stop: () => {
        throw new Error('stuck');
      },
    });
    const failure = await all.stop().then(
      () => null,
      (error: unknown) => (error as Error).message,
    );
    expect(failure).to.equal('stuck');
    expect(done).to.deep.equal(['store ends']);
    expect(logged.join('')).to.contain('API');
  });

  it('end once', async () => {
    const all = parts();
    all.add({ name: 'store', stop: () => done.push('store ends') });
    await all.stop();
    await all.stop();
    expect(done).to.deep.equal(['store ends']);
  });
});
