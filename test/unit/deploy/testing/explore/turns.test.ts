import { expect } from 'chai';
import { Recorder } from '../../../../../deploy/testing/explore/record.js';
import { Turns } from '../../../../../deploy/testing/explore/turns.js';

const idle = { sinceLastMs: () => 0 };

describe('testing/explore/turns', () => {
  it('counts little of a turn that a busy machine made long', () => {
    const turns = new Turns(new Recorder(), idle);
    turns.count(60_000);
    expect([turns.waitedMs, turns.quietMs]).to.deep.equal([20, 20]);
  });

  it('is quiet since the last request, answer or event', () => {
    const recorder = new Recorder();
    const turns = new Turns(recorder, idle);
    const quiet = [10, 10].map((tookMs) => (turns.count(tookMs), turns.quietMs));
    recorder.stir();
    quiet.push(turns.quietMs);
    turns.count(10);
    turns.count(10);
    quiet.push(turns.quietMs);
    expect(quiet).to.deep.equal([10, 20, 0, 10]);
    expect(turns.waitedMs).to.equal(40);
  });

  it('is not quiet while a request has no answer', () => {
    const recorder = new Recorder();
    const turns = new Turns(recorder, idle);
    recorder.begin({ verb: 'get', resource: 'pods', subresource: '', namespace: 'a', name: 'b' }, 0);
    for (const tookMs of [10, 10]) turns.count(tookMs);
    expect(turns.quietMs).to.equal(0);
  });

  it('counts no time in which somebody lacks a processor, and comes to an end all the same', () => {
    const waitsMs = [4, 60_000];
    const turns = new Turns(new Recorder(), { sinceLastMs: () => waitsMs.shift() ?? 0 });
    turns.count(10);
    expect([turns.waitedMs, turns.quietMs]).to.deep.equal([6, 6]);
    turns.count(60_000);
    expect(turns.waitedMs).to.equal(8);
  });
});
