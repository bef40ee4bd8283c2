import { expect } from 'chai';
import fc from 'fast-check';
import { chooseFeatures, featureProblems } from '../../../../program/features/chosen.js';
import { gatesOf, gatesWith } from '../../../../program/features/gates.js';
import { apiServerFlags } from '../../../../server/options/flags.js';

const minors = fc.integer({ min: 33, max: 36 });

describe('feature gates', () => {
  it('are as they were in each version', () => {
    const of = (name: string, minor: number): unknown => gatesOf(minor).get(name);
    expect(of('MaxUnavailableStatefulSet', 34)).to.deep.include({ stage: 'ALPHA', byDefault: false, locked: false });
    expect(of('MaxUnavailableStatefulSet', 35)).to.deep.include({ stage: 'BETA', byDefault: false, locked: false });
    expect(of('WatchList', 32)).to.deep.include({ stage: 'BETA', byDefault: true });
    expect(of('WatchList', 33)).to.deep.include({ stage: 'BETA', byDefault: false });
    expect(of('WatchList', 34)).to.deep.include({ stage: 'BETA', byDefault: true });
    expect(of('SidecarContainers', 36)).to.deep.include({ stage: '', byDefault: true, locked: true });
    expect(of('DRAPrioritizedList', 36)).to.deep.include({ stage: '', byDefault: true, locked: false });
    expect(of('AtomicFIFO', 35)).to.equal(undefined);
    expect(of('KMSv1', 36)).to.deep.include({ stage: 'DEPRECATED', byDefault: false });
  });

  it('say what is configured, whatever is said of their stage; and nothing changes what is locked', () => {
    fc.assert(
      fc.property(minors, fc.boolean(), fc.boolean(), fc.boolean(), fc.nat(), (minor, alpha, beta, own, pick) => {
        const gates = [...gatesOf(minor).values()];
        const chosen = gates[pick % gates.length]!;
        const features = chooseFeatures({ AllAlpha: String(alpha), AllBeta: String(beta), [chosen.name]: String(own) }, minor);
        for (const gate of gates) {
          const wanted =
            gate.name === chosen.name
              ? own
              : gate.locked
                ? gate.byDefault
                : gate.stage === 'ALPHA'
                  ? alpha
                  : gate.stage === 'BETA'
                    ? beta
                    : gate.byDefault;
          expect(features.enabled(gate.name), gate.name).to.equal(wanted);
        }
        const problems = featureProblems({ [chosen.name]: String(own) }, minor);
        expect(problems.length > 0).to.equal(chosen.locked && own !== chosen.byDefault);
      }),
    );
  });

  it('that are unknown are refused with what may have been meant', () => {
    expect(featureProblems({ WatchLst: 'true' }, 36).join()).to.match(
      /"WatchLst" is no feature of release 1\.36; did you mean WatchList\?/,
    );
    expect(featureProblems({ Qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq: 'true' }, 36).join()).to.match(/--help lists them/);
  });

  it('that switch something exist, and --help lists all that can be changed', () => {
    const help = apiServerFlags['feature-gates'].help;
    expect(gatesWith('fields', 'server').filter((name) => !gatesOf(36).has(name))).to.deep.equal([]);
    const changeable = [...gatesOf(36).values()].filter(({ locked }) => !locked);
    expect(changeable.filter(({ name }) => !help.includes(`${name}=true|false (`))).to.deep.equal([]);
  });
});
