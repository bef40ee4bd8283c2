import { expect } from 'chai';
import type { Socket } from 'node:net';
import { SocketProgress } from '../../../../program/port/connections/socketProgress.js';

const times = { takingMs: 30, overfullMs: 10 };

/** A TLS socket of Node with this many encrypted bytes, and this many passed to the kernel. */
function socketWith({ queued = 0, taken = 0 }: { queued?: number; taken?: number }): Socket {
  const tcp = { writeQueueSize: queued, bytesWritten: taken + queued };
  return { _handle: { writeQueueSize: queued, bytesWritten: 0, _parent: tcp } } as unknown as Socket;
}

describe('the progress of a socket', () => {
  it('is looked at only while something waits', () => {
    const progress = new SocketProgress();
    for (const now of [0, 100, 200]) expect(progress.look(socketWith({ taken: 5 }), now, times)).to.equal('flowing');
  });

  it('is none when nothing is taken for its time, and begins anew with each byte', () => {
    const progress = new SocketProgress();
    const looks = [
      { now: 0, queued: 100, taken: 0 },
      { now: 29, queued: 100, taken: 0 },
      { now: 31, queued: 99, taken: 1 },
      { now: 60, queued: 99, taken: 1 },
      { now: 61, queued: 99, taken: 1 },
    ].map(({ now, ...bytes }) => progress.look(socketWith(bytes), now, times));
    expect(looks).to.deep.equal(['flowing', 'flowing', 'flowing', 'flowing', 'stuck']);
  });

  it('does not help a socket that stays above its bound', () => {
    const progress = new SocketProgress();
    const mebibytes = 9 * 1024 * 1024;
    expect(progress.look(socketWith({ queued: mebibytes, taken: 0 }), 0, times)).to.equal('flowing');
    expect(progress.look(socketWith({ queued: mebibytes, taken: 1 }), 10, times)).to.equal('stuck');
  });

  it('is taken for granted of a socket that is gone, or built otherwise', () => {
    const progress = new SocketProgress();
    for (const socket of [{ _handle: null }, {}, { _handle: { writeQueueSize: 5 } }])
      expect(progress.look(socket as unknown as Socket, 1_000, times)).to.equal('flowing');
  });
});
