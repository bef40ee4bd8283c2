import { expect } from 'chai';
import type { Exploration } from '../../../../../deploy/testing/explore/explore.js';
import { reportHtml } from '../../../../../deploy/testing/explore/reportHtml.js';
import { reportJunit } from '../../../../../deploy/testing/explore/reportJunit.js';
import { differs } from '../../../../../deploy/testing/explore/judgement.js';

const place = { call: 'create pods a/<x>', nth: 2 };
const call = { verb: 'create', resource: 'pods', subresource: '', namespace: 'a', name: '<x>' } as const;
const found: Exploration = {
  findings: [
    {
      perturbation: { kind: 'crash', at: place, when: 'after' },
      violations: [differs('step "1"', [{ object: 'v1 Pod a/<x>', path: 'spec.b', expected: 1, actual: 'two & three' }])],
      record: [{ place, call, incarnation: 0, step: 1, atMs: 5, status: 201, note: 'killed after it' }],
      output: 'an end\u0000 <here>',
      others: [],
    },
  ],
  requests: 3,
  plans: 9,
  run: 4,
  notReached: 0,
  unconfirmed: [],
  tookMs: 1_500,
};

describe('testing/explore/report', () => {
  it('is a page with the states side by side, the timeline, and nothing that a text could break', () => {
    const page = reportHtml(found, ['raftplane explore "x"']);
    expect(page).to.contain('<td>v1 Pod a/&lt;x&gt;</td><td>spec.b</td><td>1</td><td>&quot;two &amp; three&quot;</td>');
    expect(page).to.contain(
      '<tr class="note"><td>5 ms</td><td>#1</td><td>create pods a/&lt;x&gt; (2)</td><td>201</td><td>killed after it</td>',
    );
    expect(page).to.contain('raftplane explore &quot;x&quot;').and.not.contain('<x>').and.not.contain('\u0000');
  });

  it('is JUnit XML with a failed case for each finding', () => {
    const cases = reportJunit(found);
    expect(cases).to.contain('tests="2" failures="1" time="1.5"').and.contain('<testcase name="4 plans were run"/>');
    expect(cases.match(/<failure /g)).to.have.length(1);
    expect(cases).not.to.contain('<x>').and.not.contain('\u0000');
    expect(reportJunit({ ...found, findings: [] })).to.contain('failures="0"');
  });
});
