import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { apiServerFlags } from '../../../../server/options/flags.js';
import type { Flag } from '../../../../program/flags/flag.js';
import { packageRoot } from '../../../fixtures/packageRoot.js';

/** These have one accepted value, so no code reads them. */
const singleValued: readonly string[] = ['storage-backend', 'audit-log-version', 'audit-webhook-version'];
/** Options that always apply. */
const alwaysSo: readonly string[] = ['permit-address-sharing'];
/** Read under composed names: `audit-${backend}-mode`. */
const composed = /^audit-(?:log|webhook)-(mode|batch-.+|truncate-.+)$/;
/** The folder that only declares and compares options. */
const declaring = path.join('server', 'options');
const shared = path.join('program', 'flags', 'bothPrograms');

const sources = ['program', 'cel', 'server', 'workers'].flatMap((part) =>
  fs
    .readdirSync(path.join(packageRoot, part), { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(part, name))
    .filter((name) => name.endsWith('.ts') && ![path.join(declaring, 'contradictions'), shared].some((apart) => name.startsWith(apart)))
    .map((name) => ({ name, text: fs.readFileSync(path.join(packageRoot, name), 'utf8') })),
);
const reading = sources
  .filter(({ name }) => !name.startsWith(declaring))
  .map(({ text }) => text)
  .join('\n');
const inOptions = sources
  .filter(({ name }) => name.startsWith(declaring))
  .map(({ text }) => text)
  .join('\n');

/** Used outside of declarations, or removed from the options there. */
function isRead(name: string): boolean {
  const [, rest] = composed.exec(name) ?? [];
  if (rest !== undefined) return reading.includes(`}-${rest}\``);
  if (reading.includes(`'${name}'`) || inOptions.includes(`options['${name}']`)) return true;
  const destructured = new RegExp(`'${name}': \\w+[,}\\s]`);
  return destructured.test(inOptions) || (/^\w+$/.test(name) && new RegExp(`options\\.${name}\\b`).test(reading + inOptions));
}

describe('options of the API server', () => {
  const flags: readonly (readonly [string, Flag])[] = Object.entries(apiServerFlags);

  it('have an effect, or are marked as having none', () => {
    expect(
      flags
        .filter(
          ([name, { withoutEffect }]) => withoutEffect === undefined && !isRead(name) && ![...singleValued, ...alwaysSo].includes(name),
        )
        .map(([name]) => name),
    ).to.deep.equal([]);
  });

  it('that are marked are read by nobody', () => {
    expect(flags.filter(([name, { withoutEffect }]) => withoutEffect !== undefined && isRead(name)).map(([name]) => name)).to.deep.equal(
      [],
    );
  });
});
