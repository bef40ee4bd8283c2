import { expect } from 'chai';
import { Turns } from '../../../../workers/turns/turns.js';
import { inOneGo, type Steps } from '../../../../api/steps.js';

/** Turns of a manual loop with a manual clock. */
class Loop {
  nowMs = 0;
  #next: (() => void)[] = [];
  readonly turns = new Turns({ budgetMs: 8, now: () => this.nowMs, inNextTurn: (action) => this.#next.push(action) });

  get isIdle(): boolean {
    return this.#next.length === 0;
  }

  /** Runs one turn and its promises. */
  async goRound(): Promise<void> {
    for (const action of this.#next.splice(0)) action();
    await Promise.resolve();
  }

  async goRoundUntilIdle(): Promise<void> {
    while (!this.isIdle) await this.goRound();
  }

  /** Work in steps of a millisecond, each of which records its name. */
  *work(name: string, steps: number, done: string[]): Steps<string> {
    for (let step = 0; step < steps; step++) {
      done.push(name);
      this.nowMs += 1;
      yield;
    }
    return `${name} is done`;
  }
}

describe('workers/turns', () => {
  let loop: Loop;
  let done: string[];

  beforeEach(() => {
    loop = new Loop();
    done = [];
  });

  it('has the outcome of short work at once', () => {
    expect(loop.turns.run(loop.work('a', 7, done))).to.equal('a is done');
    expect(done).to.have.length(7);
  });

  it('looks at no clock for work without steps', () => {
    const turns = new Turns({
      now: () => {
        throw new Error('nobody looks');
      },
    });
    function* plain(): Steps<number> {
      return 7;
    }
    expect(turns.run(plain())).to.equal(7);
  });

  it('stops long work when the turn is over, and goes on in the next', async () => {
    const outcome = loop.turns.run(loop.work('a', 20, done));
    expect(outcome).to.be.instanceOf(Promise);
    // The turn begins with the first step.
    expect(done).to.have.length(9);
    await loop.goRound();
    expect(done).to.have.length(17);
    await loop.goRound();
    expect(done).to.have.length(20);
    expect(await outcome).to.equal('a is done');
    await loop.goRoundUntilIdle();
    expect(loop.turns.steps).to.equal(20);
  });

  it('gives all work together one budget in a turn, and each its turn after the other', async () => {
    const outcomes = ['a', 'b', 'c'].map((name) => loop.turns.run(loop.work(name, 17, done)));
    // `b` and `c` arrived after the end of the turn, and took one step each before they noticed.
    expect(done.join('')).to.equal('aaaaaaaaabc');
    const perTurn: string[] = [];
    while (!loop.isIdle) {
      done.splice(0);
      await loop.goRound();
      perTurn.push(done.join(''));
    }
    expect(perTurn).to.deep.equal(['aaaaaaaa', 'bbbbbbbb', 'cccccccc', 'bbbbbbbb', 'cccccccc', '', '']);
    expect(await Promise.all(outcomes.map((outcome) => Promise.resolve(outcome)))).to.deep.equal(['a is done', 'b is done', 'c is done']);
  });

  it('does not let new work overtake the work that waits', async () => {
    const long = loop.turns.run(loop.work('a', 12, done));
    const late = loop.turns.run(loop.work('b', 2, done));
    await loop.goRoundUntilIdle();
    expect(done.join('')).to.equal('aaaaaaaaabaaab');
    expect([await long, await late]).to.deep.equal(['a is done', 'b is done']);
  });

  it('throws what work throws at once, and rejects with what it throws later', async () => {
    const loops = loop;
    function* failing(after: number): Steps<never> {
      yield* loops.work('x', after, done);
      throw new RangeError('broken');
    }
    expect(() => loop.turns.run(failing(2))).to.throw(RangeError, 'broken');
    const outcome = loop.turns.run(failing(12)) as Promise<never>;
    const seen = outcome.catch((error: unknown) => error);
    await loop.goRoundUntilIdle();
    expect(await seen).to.be.instanceOf(RangeError);
  });

  it('ends work that nobody waits for any more, and tells it', async () => {
    let ended: Error | null = null;
    const loops = loop;
    function* tidy(): Steps<string> {
      try {
        return yield* loops.work('a', 100, done);
      } finally {
        done.push('tidied');
      }
    }
    const outcome = (loop.turns.run(tidy(), () => ended) as Promise<string>).catch((error: unknown) => error);
    await loop.goRound();
    ended = new Error('the client is gone');
    await loop.goRoundUntilIdle();
    expect(await outcome).to.equal(ended);
    expect(done).to.have.length(18);
    expect(done.at(-1)).to.equal('tidied');
  });

  it('gives a turn of its own to work that cannot be divided', async () => {
    const long = loop.turns.run(loop.work('a', 20, done));
    const whole = ['b', 'c'].map(async (name) => {
      await loop.turns.next();
      done.push(name);
    });
    const perTurn: string[] = [];
    while (!loop.isIdle) {
      done.splice(0);
      await loop.goRound();
      perTurn.push(done.join(''));
    }
    await Promise.all([long, ...whole]);
    expect(perTurn).to.deep.equal(['aaaaaaaa', 'b', 'c', 'aaa', '']);
  });

  it('refuses a turn to work that nobody waits for any more', async () => {
    const gone = new Error('gone');
    const refused = loop.turns.next(() => gone).catch((error: unknown) => error);
    await loop.goRoundUntilIdle();
    expect(await refused).to.equal(gone);
  });

  it('does work in one go where it must', () => {
    expect(inOneGo(loop.work('a', 100, done))).to.equal('a is done');
    expect(loop.isIdle).to.equal(true);
  });

  it('lets the loop of this process go round', async () => {
    const turns = new Turns({ budgetMs: 0 });
    let others = 0;
    const beat = setInterval(() => others++, 0);
    function* busy(): Steps<void> {
      while (others < 3) yield;
    }
    await turns.run(busy());
    clearInterval(beat);
    expect(others).to.be.at.least(3);
  });
});
