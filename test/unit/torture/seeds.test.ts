import { expect } from 'chai';
import { failPoints, type FailPoint } from '../../../raft/failPoints.js';
import { addFigures, pointsLine, type Figures } from '../../torture/judgement.js';
import { tableOf } from '../../torture/seeds.js';

const figures: Figures = {
  requests: 1_000,
  writes: 200,
  unknown: 3,
  expired: 4,
  compared: 5,
  longestSilenceMs: 2_500,
  workingSilenceMs: 900,
  residentBytes: 150 << 20,
  fileBytes: 9 << 20,
  faults: new Map([
    ['kill', 2],
    ['pause', 1],
  ]),
  pointsMet: new Set(['install.done']),
  undecided: [],
};

describe('torture/seeds', () => {
  it('adds rounds up: counts are summed, peaks and silences are the most', () => {
    const more = {
      ...figures,
      longestSilenceMs: 9_000,
      workingSilenceMs: 100,
      fileBytes: 20 << 20,
      faults: new Map([
        ['kill', 1],
        ['disk', 4],
      ]),
      pointsMet: new Set<FailPoint>(['snapshot.sent', 'install.done']),
    };
    expect(addFigures(figures, more)).to.deep.equal({
      ...figures,
      requests: 2_000,
      writes: 400,
      unknown: 6,
      expired: 8,
      compared: 10,
      longestSilenceMs: 9_000,
      fileBytes: 20 << 20,
      faults: new Map([
        ['kill', 3],
        ['pause', 1],
        ['disk', 4],
      ]),
      pointsMet: new Set(['install.done', 'snapshot.sent']),
    });
  });

  it('says at which fail points nobody died', () => {
    const all = Object.keys(failPoints) as FailPoint[];
    expect(pointsLine(new Set(all))).to.equal(`killed at ${all.length} of ${all.length} fail points`);
    expect(pointsLine(new Set(all.slice(2)))).to.equal(
      `killed at ${all.length - 2} of ${all.length} fail points; not at ${all[0]}, ${all[1]}`,
    );
  });

  it('shows a line for each seed', () => {
    const [head, first, second] = tableOf([
      { seed: 7, rounds: 3, findings: [], figures },
      { seed: 8, rounds: 1, findings: [{ promise: 'p', details: 'd' }], figures },
    ])
      .split('\n')
      .map((line) => line.trim().split(/ {2,}/));
    expect(head).to.have.length(13);
    expect(first).to.deep.equal(['7', '3', '1000', '200', '3', '4', '2.5', '0.9', '150', '9', '0', '0', '2 kill, 1 pause']);
    expect(second?.slice(0, 2)).to.deep.equal(['8', '1']);
    expect(second?.[11]).to.equal('1');
  });
});
