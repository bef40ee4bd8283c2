import { expect } from 'chai';
import fc from 'fast-check';
import { ListBodies } from '../../../../server/endpoints/listBodies.js';
import { pieceBytes, pieces } from '../../../../server/endpoints/pieces.js';
import type { StoredObject } from '../../../../server/storage/contract.js';

describe('pieces of long answers', () => {
  it('are the parts, in pieces of one size but for the last, whatever the parts', () => {
    const size = fc.oneof(
      fc.nat(50),
      fc.integer({ min: pieceBytes - 2, max: pieceBytes + 2 }),
      fc.integer({ min: 1, max: 3 * pieceBytes }),
    );
    fc.assert(
      fc.property(fc.array(size, { maxLength: 8 }), (sizes) => {
        const parts = sizes.map((length, index) => Buffer.alloc(length, index + 1));
        const found: Buffer[] = [];
        for (const { bytes, release } of pieces(parts)) {
          found.push(Buffer.from(bytes));
          release?.();
        }
        expect(Buffer.concat(found).equals(Buffer.concat(parts))).to.equal(true);
        expect(found.slice(0, -1).every(({ length }) => length === pieceBytes)).to.equal(true);
      }),
      { numRuns: 50 },
    );
  });

  it('do not share memory before they are released', () => {
    const [first, second] = [...pieces([Buffer.alloc(pieceBytes - 1, 1), Buffer.alloc(pieceBytes - 1, 2)])];
    expect(first?.bytes.subarray(0, -1).every((byte) => byte === 1)).to.equal(true);
    expect(second?.bytes.every((byte) => byte === 2)).to.equal(true);
  });
});

describe('bodies of lists', () => {
  const objects = (): readonly StoredObject[] => [];
  const ask = async (
    bodies: ListBodies,
    of: readonly StoredObject[],
    bytes: number,
    form = 'json',
  ): Promise<{ readonly made: boolean; readonly body: string }> => {
    let made = false;
    const { parts } = await bodies.of(of, form, async () => {
      made = true;
      return { parts: [Buffer.alloc(bytes / 2, form), Buffer.alloc(bytes / 2, form)], size: bytes };
    });
    return { made, body: Buffer.concat([...parts]).toString('latin1', 0, 4) };
  };

  it('are made for the first two who ask, and then kept', async () => {
    const bodies = new ListBodies();
    const list = objects();
    expect(await Promise.all([ask(bodies, list, 1 << 20), ask(bodies, list, 1 << 20)])).to.have.length(2);
    await ask(bodies, list, 1 << 20);
    expect(await ask(bodies, list, 1 << 20)).to.deep.equal({ made: false, body: 'json' });
  });

  it('are kept for each form and each state by itself', async () => {
    const bodies = new ListBodies();
    const list = objects();
    for (let time = 0; time < 2; time++) for (const form of ['json', 'cbor']) await ask(bodies, list, 1 << 20, form);
    expect(await ask(bodies, list, 1 << 20, 'cbor')).to.deep.equal({ made: false, body: 'cbor' });
    expect(await ask(bodies, objects(), 1 << 20, 'cbor')).to.deep.equal({ made: true, body: 'cbor' });
  });

  it('are not kept if they are short, or so long that joining them takes its time', async () => {
    const bodies = new ListBodies();
    for (const bytes of [1_000, 5 << 20]) {
      const list = objects();
      for (let time = 0; time < 3; time++) expect((await ask(bodies, list, bytes)).made).to.equal(true);
    }
  });

  it('make room for those used later', async () => {
    const bodies = new ListBodies();
    const lists = Array.from({ length: 5 }, objects);
    for (const list of lists) for (let time = 0; time < 2; time++) await ask(bodies, list, 4 << 20);
    expect((await ask(bodies, lists[0] as readonly StoredObject[], 4 << 20)).made).to.equal(true);
    expect((await ask(bodies, lists[4] as readonly StoredObject[], 4 << 20)).made).to.equal(false);
  });
});
