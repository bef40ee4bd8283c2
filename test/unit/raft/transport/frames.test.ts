import { expect } from 'chai';
import * as fc from 'fast-check';
import { ByteWriter, DecodeError } from '../../../../raft/transport/bytes.js';
import { FrameReader, writeFrame } from '../../../../raft/transport/frames.js';
import type { FrameKind } from '../../../../raft/transport/frames.js';

describe('raft/transport/frames', () => {
  it('finds the same frames however the stream is cut', () => {
    const frames = fc.array(fc.record({ kind: fc.integer({ min: 1, max: 11 }), payload: fc.uint8Array({ maxLength: 50 }) }), {
      maxLength: 10,
    });
    fc.assert(
      fc.property(frames, fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 }), (sent, cuts) => {
        const writer = new ByteWriter();
        for (const frame of sent) writeFrame(writer, frame.kind as FrameKind, () => writer.raw(frame.payload));
        const stream = writer.take();
        const reader = new FrameReader(1000);
        const found: { kind: number; payload: number[] }[] = [];
        for (let at = 0, turn = 0; at < stream.length; turn += 1) {
          const size = cuts[turn % cuts.length] ?? 1;
          reader.push(stream.subarray(at, at + size), (kind, payload) => found.push({ kind, payload: [...payload] }));
          at += size;
        }
        expect(found).to.deep.equal(sent.map(({ kind, payload }) => ({ kind, payload: [...payload] })));
      }),
    );
  });

  it('refuses lengths of nothing and lengths beyond the bound before taking memory for them', () => {
    for (const length of [0, 1001, 0xffffffff]) {
      const header = Buffer.alloc(4);
      header.writeUInt32BE(length);
      expect(() => new FrameReader(1000).push(header, () => undefined), String(length)).to.throw(DecodeError);
    }
  });
});
