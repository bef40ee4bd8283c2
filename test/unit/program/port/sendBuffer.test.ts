import { expect } from 'chai';
import type { Sender } from '../../../../program/port/connections/sender.js';
import { ConnectionSendBuffer } from '../../../../program/port/connections/sendBuffer.js';
import { PortMemory } from '../../../../program/port/connections/portMemory.js';
import { UnsentBytes, type Holder } from '../../../../program/port/connections/unsentBytes.js';

const mebibyte = 1024 * 1024;

/** Sends complete pieces while there is room, and asks again. */
class Eager implements Sender {
  readonly #buffer: ConnectionSendBuffer;
  readonly #name: string;
  readonly #order: string[];
  pieces: number[] = [];
  constructor(buffer: ConnectionSendBuffer, name: string, order: string[] = []) {
    this.#buffer = buffer;
    this.#name = name;
    this.#order = order;
  }

  sendMore(): void {
    const bytes = this.#buffer.pieceBytes;
    this.pieces.push(bytes);
    this.#order.push(this.#name);
    this.#buffer.add(bytes);
    this.#buffer.whenRoom(this);
  }
}

describe('the send buffer of a connection', () => {
  it('has a bound, whoever sends, and goes on when the network has taken something', () => {
    const buffer = new ConnectionSendBuffer(new UnsentBytes(64 * mebibyte));
    const sender = new Eager(buffer, 'a');
    buffer.whenRoom(sender);
    expect(buffer.unsentBytes).to.be.within(mebibyte - 16 * 1024, mebibyte);
    expect(buffer.pieceBytes).to.equal(0);
    const before = sender.pieces.length;
    buffer.remove(sender.pieces[0] ?? 0);
    expect(sender.pieces.length).to.be.greaterThan(before);
    expect(buffer.unsentBytes).to.be.at.most(mebibyte);
  });

  it('gives no sender more than a part of its room at a time, and the senders their turns in order', () => {
    const order: string[] = [];
    const buffer = new ConnectionSendBuffer(new UnsentBytes(64 * mebibyte));
    buffer.add(mebibyte);
    for (const name of ['a', 'b', 'c']) buffer.whenRoom(new Eager(buffer, name, order));
    buffer.remove(mebibyte);
    expect(order.slice(0, 6)).to.deep.equal(['a', 'b', 'c', 'a', 'b', 'c']);
  });

  it('is smaller for each when all have much, and never keeps anybody from a piece', () => {
    const all = new UnsentBytes(8 * mebibyte);
    const buffers = Array.from({ length: 40 }, () => new ConnectionSendBuffer(all));
    for (const buffer of buffers) buffer.whenRoom(new Eager(buffer, 'a'));
    expect(Math.min(...buffers.map(({ unsentBytes }) => unsentBytes))).to.be.at.least(16 * 1024);
    expect(all.bytes).to.be.at.most(8 * mebibyte);
  });

  it('forgets who does not want to send any more', () => {
    const buffer = new ConnectionSendBuffer(new UnsentBytes());
    buffer.add(mebibyte);
    const sender = new Eager(buffer, 'a');
    buffer.whenRoom(sender);
    buffer.forget(sender);
    buffer.remove(mebibyte);
    expect(sender.pieces).to.deep.equal([]);
  });

  it('counts nothing any more once the connection is over, and lets everybody go who waits', () => {
    const all = new UnsentBytes();
    const buffer = new ConnectionSendBuffer(all);
    buffer.add(mebibyte);
    let reported = 0;
    buffer.whenRoom({ sendMore: () => (reported += 1) });
    buffer.close();
    buffer.remove(1_000);
    expect([all.bytes, reported]).to.deep.equal([0, 1]);
  });
});

describe('bytes that clients do not take', () => {
  function holders(all: UnsentBytes, bytes: Readonly<Record<string, readonly number[]>>): { cut: string[] } {
    const cut: string[] = [];
    for (const [owner, amounts] of Object.entries(bytes))
      for (const [index, amount] of amounts.entries()) {
        const holder: Holder & { unsentBytes: number } = {
          owner,
          unsentBytes: 0,
          cutNow: () => {
            cut.push(`${owner}${index}`);
            all.remove(holder.unsentBytes);
            holder.unsentBytes = 0;
          },
        };
        all.register(holder);
        holder.unsentBytes = amount;
        all.add(amount);
      }
    return { cut };
  }

  it('have the one who holds most of them lose connections, the largest first, until some room is left', () => {
    const all = new UnsentBytes(100);
    const { cut } = holders(all, { slow: [20], greedy: [10, 30, 20, 30] });
    expect(cut).to.deep.equal(['greedy3', 'greedy1'].slice(0, cut.length));
    expect(all.bytes).to.be.at.most(75);
  });

  it('leave those alone who hold little, however long they have held it', () => {
    const all = new UnsentBytes(1_000);
    const { cut } = holders(all, { slow: [90], greedy: Array.from({ length: 500 }, () => 10) });
    expect(cut.length).to.be.greaterThan(0);
    expect(cut.filter((name) => name.startsWith('slow'))).to.deep.equal([]);
  });

  it('are no more than a part of it for each of several threads', () => {
    const { unsent: all } = new PortMemory(4);
    expect(all.rest).to.equal(16 * mebibyte);
  });
});
