import { expect } from 'chai';
import { PassThrough } from 'node:stream';
import type { StatusError } from '../../../../api/status.js';
import type { User } from '../../../../api/user.js';
import { BodyBudget } from '../../../../program/port/connections/bodyBudget.js';
import { bodyBytesMax, BodyReading } from '../../../../program/port/connections/bodyReading.js';
import { ownerOf, Slots } from '../../../../program/port/connections/slots.js';

const user = (name: string, ...groups: string[]): User => ({ name, uid: '', groups, extra: {} });
const alice = user('alice', 'system:authenticated');
const bob = user('bob', 'system:authenticated');
const stranger = user('system:anonymous', 'system:unauthenticated');
const node = user('system:node:n', 'system:nodes');
const admin = user('admin', 'system:masters');

/** The number of slots that a user still gets. */
function fill(slots: Slots, who: User, address = '10.0.0.1'): number {
  for (let got = 0; got < 100_000; got += 1) {
    try {
      slots.enter(ownerOf(who, address), who);
    } catch (error) {
      expect((error as StatusError).code).to.equal(429);
      return got;
    }
  }
  throw new Error('there is no bound');
}

describe('slots', () => {
  it('are not for one user alone, or one address of strangers: once half are taken, nobody gets more than a share', () => {
    const slots = new Slots(400);
    expect([fill(slots, alice), fill(slots, bob), fill(slots, stranger), fill(slots, stranger, '10.0.0.2')]).to.deep.equal([
      200, 134, 50, 16,
    ]);
    expect(slots.taken).to.equal(400);
    expect([fill(slots, node), fill(slots, admin)], 'beyond the bound for others').to.deep.equal([100, 3_500]);
  });

  it('are given back to the last one', () => {
    const slots = new Slots(12);
    const shares = Array.from({ length: 8 }, () => slots.enter('alice', alice));
    expect(fill(slots, alice)).to.equal(0);
    for (const share of shares) slots.leave(share);
    expect([slots.taken, fill(slots, alice)]).to.deep.equal([0, 8]);
  });

  it('know no bound when told so', () => {
    const slots = new Slots(0);
    for (let each = 0; each < 10_000; each += 1) slots.enter('alice', alice);
    expect(slots.taken).to.equal(10_000);
  });
});

describe('bodies on their way in', () => {
  const reading = (
    budget: BodyBudget,
    owner: string,
  ): { stream: PassThrough; result: Promise<Buffer | Error>; reading: BodyReading; completed: () => boolean } => {
    const stream = new PassThrough();
    let completed = false;
    const made = new BodyReading(
      stream,
      undefined,
      {
        bodyOwner: owner,
        bodyComplete: () => {
          completed = true;
        },
      },
      budget,
    );
    return { stream, reading: made, result: made.bytes.catch((error: unknown) => error as Error), completed: () => completed };
  };
  const codeOf = async (result: Promise<Buffer | Error>): Promise<number | undefined> => ((await result) as StatusError).code;

  it('are bounded for each user and for all, and count until they are whole or given up', async () => {
    const budget = new BodyBudget(250, 100);
    const [one, two] = [reading(budget, 'alice'), reading(budget, 'alice')];
    one.stream.write(Buffer.alloc(60));
    two.stream.write(Buffer.alloc(60));
    expect([await codeOf(two.result), budget.bytes]).to.deep.equal([429, 60]);
    const others = ['bob', 'carol', 'dave'].map((name) => reading(budget, name));
    for (const { stream } of others) stream.write(Buffer.alloc(80));
    expect([await codeOf((others[2] as typeof one).result), budget.bytes], 'all together').to.deep.equal([429, 220]);
    one.stream.end();
    expect([((await one.result) as Buffer).length, one.completed(), budget.bytes]).to.deep.equal([60, true, 160]);
    for (const { reading: given } of others) given.stop();
    expect([await codeOf((others[0] as typeof one).result), others[0]?.completed(), budget.bytes]).to.deep.equal([400, false, 0]);
  });

  it('are refused above their limit, whatever was announced', async () => {
    const budget = new BodyBudget();
    const one = reading(budget, 'alice');
    one.stream.end(Buffer.alloc(bodyBytesMax + 1));
    expect([await codeOf(one.result), budget.bytes]).to.deep.equal([413, 0]);
    const announced = new BodyReading(
      new PassThrough(),
      String(bodyBytesMax + 1),
      { bodyOwner: 'alice', bodyComplete: () => undefined },
      budget,
    );
    expect(await codeOf(announced.bytes.catch((error: unknown) => error as Error))).to.equal(413);
  });
});
