import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../torture/main.js', import.meta.url));

/** All output before the run, and the status. */
function reported(...args: string[]): { readonly status: number | null; readonly text: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
  return { status, text: stdout + stderr };
}

describe('torture/options', function () {
  it('explains its options with examples', () => {
    const { status, text } = reported('--help');
    expect(status).to.equal(0);
    for (const word of [
      '--minutes',
      '--seeds',
      '--seed',
      '--only',
      '--store',
      '--keep',
      'Examples:',
      'npm run torture -- --store etcd',
      'npm run torture -- --minutes 60 --seeds 20',
    ])
      expect(text).to.include(word);
  });

  it('refuses what makes no sense, and says why', () => {
    const wrong: readonly (readonly [args: readonly string[], why: string])[] = [
      [['--seeds', '0'], 'It must be a whole number from 1 to'],
      [['--seeds', '1.5'], 'It must be a whole number from 1 to'],
      [['--minutes', 'many'], 'It must be a number from'],
      [['--only', 'flood'], 'No such fault: flood'],
      [['--minutes', '1', '--seeds', '100'], '100 seeds in 1 minutes leave less than 0.05 minutes for each'],
      [['--store', 'paper'], 'Allowed choices are raft, etcd'],
      [['--store', 'etcd', '--only', 'pause,powerLoss'], 'with --store etcd there is no powerLoss; there are kill'],
      [['--only', 'etcdKill'], 'with --store raft there is no etcdKill'],
      [['now'], 'too many arguments'],
    ];
    for (const [args, why] of wrong) {
      const { status, text } = reported(...args);
      expect(text, args.join(' ')).to.include(why);
      expect(status, args.join(' ')).to.not.equal(0);
    }
  });
});
