import { expect } from 'chai';
import { remembered } from '../../../server/assembly/healthChecks.js';

describe('encryption, health of key services', () => {
  it('asks again only after a while, sooner when it was bad, and once for all who ask at a time', async () => {
    let now = 0;
    let asked = 0;
    let broken = false;
    const check = remembered(
      () => {
        asked++;
        return broken ? Promise.reject(new Error('out of order')) : Promise.resolve();
      },
      () => now,
    );
    await Promise.all([check(), check()]);
    now = 19_999;
    await check();
    expect(asked).to.equal(1);
    broken = true;
    now = 20_000;
    expect(
      await check().then(
        () => null,
        (error: Error) => error.message,
      ),
    ).to.equal('out of order');
    now = 22_999;
    expect(
      await check().then(
        () => null,
        (error: Error) => error.message,
      ),
    ).to.equal('out of order');
    expect(asked).to.equal(2);
    broken = false;
    now = 23_000;
    await check();
    expect(asked).to.equal(3);
  });
});
