import fs from 'node:fs';
import path from 'node:path';
import { inOrderOfSample } from './sample.mjs';

const isNoticed = ({ status }) => status === 'Killed' || status === 'Timeout';
const isUnnoticed = ({ status }) => status === 'Survived' || status === 'NoCoverage';
/** Mutants that cannot run, and those that were left out, count neither way. */
const counts = (mutant) => isNoticed(mutant) || isUnnoticed(mutant);

/** Shows results of runs that are ended early. */
export class AtOnce {
  onMutantTested(mutant) {
    if (isUnnoticed(mutant)) console.log(line(process.cwd(), path.relative(process.cwd(), mutant.fileName), mutant));
  }
}

/** Prints what no test noticed and the score by file; the result is the score of all, in percent. `sample`: only so many are counted. */
export function report(root, mutants, sample) {
  const candidates = mutants.filter(({ status }) => status !== 'Ignored');
  const counted = (sample === undefined ? candidates : inOrderOfSample(candidates).slice(0, sample)).filter(counts);
  const byFile = Map.groupBy(counted, ({ fileName }) => path.relative(root, fileName));
  const files = [...byFile].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [file, those] of files) for (const mutant of inOrderOfPlace(those.filter(isUnnoticed))) console.log(line(root, file, mutant));
  console.log(`\n${row('file', ['noticed', 'timeout', 'survived', 'no test', 'score'])}`);
  for (const [file, those] of files) console.log(row(file, figures(those)));
  console.log(row('all', figures(counted)));
  const left = mutants.filter(({ static: atLoad, status }) => atLoad && status === 'Ignored').length;
  if (left > 0) console.log(`${left} changes of what modules do when they are loaded are left out; --static takes them too`);
  return scoreOf(counted);
}

const inOrderOfPlace = (mutants) =>
  mutants.sort((a, b) => a.location.start.line - b.location.start.line || a.location.start.column - b.location.start.column);

const scoreOf = (mutants) => (mutants.length === 0 ? 100 : (100 * mutants.filter(isNoticed).length) / mutants.length);

function figures(mutants) {
  const of = (wanted) => mutants.filter(({ status }) => status === wanted).length;
  return [of('Killed'), of('Timeout'), of('Survived'), of('NoCoverage'), `${scoreOf(mutants).toFixed(0)} %`];
}

const row = (name, cells) => name.padEnd(60) + cells.map((cell) => String(cell).padStart(9)).join('');

function line(root, file, { location: { start, end }, replacement, status }) {
  const lines = fs
    .readFileSync(path.join(root, file), 'utf8')
    .split('\n')
    .slice(start.line - 1, end.line);
  lines[lines.length - 1] = lines.at(-1).slice(0, end.column - 1);
  lines[0] = lines[0].slice(start.column - 1);
  return `${file}:${start.line}:${start.column} ${status === 'NoCoverage' ? 'no test ' : ''}${short(lines.join(' '))} -> ${short(replacement)}`;
}

function short(text) {
  const one = text.replace(/\s+/g, ' ');
  return one.length > 90 ? `${one.slice(0, 60)} … ${one.slice(-27)}` : one;
}
