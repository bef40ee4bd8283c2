import assert from 'node:assert/strict';
import type { Sequence } from './area.js';
import { shrink, trialsMax } from './shrink.js';

const read = { do: 'GET /api/v1/pods' };
const create = (body: object): { readonly do: string; readonly body: object } => ({ do: 'POST /api/v1/pods', body });
const showing =
  (needed: string, tried: Sequence[] = []) =>
  (trial: Sequence): Promise<boolean> => {
    tried.push(trial);
    return Promise.resolve(JSON.stringify(trial).includes(needed));
  };

describe('shrinking a difference', () => {
  it('leaves the steps, members and items without which it is not there', async () => {
    const sequence = { steps: [read, create({ spec: { a: 1, list: [{ keep: true, other: 2 }, { b: 1 }] }, status: {} }), read] };
    assert.deepEqual(await shrink(sequence, showing('"keep":true')), { steps: [create({ spec: { list: [{ keep: true }] } })] });
  });

  it('keeps a step that a later one depends on', async () => {
    const shows = ({ steps }: Sequence): Promise<boolean> =>
      Promise.resolve(steps.some((step) => step.do === read.do) && steps.some((step) => step.do === 'POST /api/v1/pods'));
    assert.deepEqual(await shrink({ steps: [read, create({}), read] }, shows), { steps: [read, create({})] });
  });

  it('ends after so many trials with the smallest so far', async () => {
    const wide = Object.fromEntries(Array.from({ length: trialsMax * 2 }, (_, index) => [`m${index}`, index]));
    const tried: Sequence[] = [];
    const { steps } = await shrink({ steps: [create({ ...wide, keep: true })] }, showing('"keep":true', tried));
    assert.equal(tried.length, trialsMax);
    assert.ok(Object.keys(steps[0]?.body as object).includes('keep'));
    assert.ok(Object.keys(steps[0]?.body as object).length < trialsMax * 2);
  });
});
