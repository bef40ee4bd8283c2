import fs from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../fixtures/packageRoot.js';
import type { Sequence } from './area.js';
import type { Found } from './compare.js';

/** An intended difference. */
export interface Known extends Sequence {
  readonly reason: string;
  /** A regular expression for keys of rules. */
  readonly rule: string;
}

const file = path.join(packageRoot, 'test', 'differential', 'known.json');

/** Reads the list in the repository. */
export const readKnown = (): readonly Known[] => JSON.parse(fs.readFileSync(file, 'utf8')) as Known[];

/** The entry that matches a difference, if any. */
export const knownAs = ({ rule }: Found, known: readonly Known[]): Known | undefined =>
  known.find((each) => new RegExp(each.rule).test(rule.key));
