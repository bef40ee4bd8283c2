import { expect } from 'chai';
import { quotedPairs } from '../../../../program/flags/quotedPairs.js';
import { metricChoice } from '../../../../program/metrics/options.js';
import { ownName } from '../../../../server/assembly/ownName.js';
import { readApiServerOptions } from '../../../../server/options/read.js';
import type { ApiServerOptions } from '../../../../server/options/flags.js';

const optionsOf = (...argv: string[]): ApiServerOptions => {
  const result = readApiServerOptions(argv);
  if (!result.ok) throw new Error(result.errors.join('\n'));
  return result.options;
};

describe('options: pairs in one text', () => {
  it('stand alone as they are, or several in quotes', () => {
    expect(quotedPairs('a,b=x,y')).to.deep.equal(['a,b=x,y']);
    expect(quotedPairs('"a,b=x"')).to.deep.equal(['a,b=x']);
    expect(quotedPairs('"a,b=x,y",c=1,"d,e=say ""f"""')).to.deep.equal(['a,b=x,y', 'c=1', 'd,e=say "f"']);
  });

  it('bound labels of several metrics at once', () => {
    const flag = '--allow-metric-labels="apiserver_request_total,code=201,500","apiserver_request_duration_seconds,verb=POST,LIST"';
    expect([...(metricChoice(optionsOf(flag)).allowedLabels ?? [])]).to.deep.equal([
      ['apiserver_request_total,code', new Set(['201', '500'])],
      ['apiserver_request_duration_seconds,verb', new Set(['POST', 'LIST'])],
    ]);
    expect(() => optionsOf('--allow-metric-labels=a,b=x,c=1')).to.throw(/want a metric, one of its labels/);
  });
});

describe('options: the name of a server', () => {
  it('tells servers of one host apart once their members have names', () => {
    const name = ownName(optionsOf());
    expect(name).to.match(/^apiserver-[a-z2-7]{26}$/);
    expect(ownName(optionsOf('--raft-member-id=other'))).not.to.equal(name);
  });
});
