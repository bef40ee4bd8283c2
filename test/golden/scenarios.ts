import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { packageRoot, sharedFolder } from '../fixtures/packageRoot.js';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';

/** Recorded requests and answers of a reference server, and the tool that replays them. They live outside the repository. */
export const goldenFolder = sharedFolder === null ? null : existing(path.join(sharedFolder, 'golden'));
const listFile = path.join(packageRoot, 'test', 'golden', 'passing.json');

/** What became of one scenario: `wrong` says in one line each which steps differ. */
export interface Replayed {
  /** `area/name`, the file's place without its ending. */
  readonly name: string;
  readonly passed: boolean;
  readonly wrong: readonly string[];
  /** Steps in which only the wording of a message differs. */
  readonly wording: number;
}

interface Expectations {
  /** Areas whose scenarios are all replayed; of the others those that are listed. */
  readonly areas: readonly string[];
  readonly passing: readonly string[];
}

/** The scenarios that pass, as kept in the repository. */
export function readExpectations(): Expectations {
  return JSON.parse(fs.readFileSync(listFile, 'utf8')) as Expectations;
}

export function writeExpectations(expectations: Expectations): void {
  fs.writeFileSync(listFile, JSON.stringify({ ...expectations, passing: [...expectations.passing].sort() }, null, 2) + '\n');
}

/** All areas that there are recordings of. */
export const allAreas = (folder: string): string[] => fs.readdirSync(path.join(folder, 'scenarios')).sort();

/** Scenarios of the areas. */
export function listScenarios(folder: string, areas: readonly string[]): string[] {
  return areas.flatMap(area => fs.readdirSync(path.join(folder, 'scenarios', area)).filter(file => file.endsWith('.json')).sort().map(file => `${area}/${file.slice(0, -'.json'.length)}`));
}

/** What a set of scenarios runs on. Pods of those that were recorded without nodes must stay where they are. */
export interface Surroundings { readonly names: readonly string[]; readonly cluster: { readonly managers: number; readonly fakeNodes: number } }

/** Areas whose objects have owners that do not exist: garbage collection would race with the scenario. */
const WITHOUT_CONTROLLERS: readonly string[] = ['ownership'];

/** Scenarios by what they need. Most need a controller manager: it gives new namespaces their default account, without which pods are refused. */
export function bySurroundings(folder: string, names: readonly string[]): Surroundings[] {
  const alone = names.filter(name => WITHOUT_CONTROLLERS.includes(name.split('/')[0] ?? ''));
  const withNodes = names.filter(name => !alone.includes(name) && needs(folder, name).includes('nodes'));
  const others = names.filter(name => !alone.includes(name) && !withNodes.includes(name));
  const groups = [{ names: others, cluster: { managers: 1, fakeNodes: 0 } }, { names: withNodes, cluster: { managers: 1, fakeNodes: 2 } }, { names: alone, cluster: { managers: 0, fakeNodes: 0 } }];
  return groups.filter(group => group.names.length > 0);
}

function needs(folder: string, name: string): readonly string[] {
  const scenario = JSON.parse(fs.readFileSync(scenarioFile(folder, name), 'utf8')) as { needs?: readonly string[] };
  return scenario.needs ?? [];
}

const scenarioFile = (folder: string, name: string): string => path.join(folder, 'scenarios', `${name}.json`);

/** Most of a scenario is waiting. */
const scenariosAtOnce = 12;

/** Replays scenarios against a server with the recorder's own tool. */
export async function replay(folder: string, names: readonly string[], server: { readonly address: string; readonly certFile: string; readonly keyFile: string }): Promise<Replayed[]> {
  const output = path.join(temporaryDirectory('golden'), 'results.json');
  const args = ['replay', '--server', server.address, '--cert', server.certFile, '--key', server.keyFile, '--par', String(scenariosAtOnce), '--json', output, ...names.map(name => scenarioFile(folder, name))];
  const log = await run(path.join(folder, 'golden.mjs'), args);
  if (!fs.existsSync(output)) throw new Error(`the replay ended without results:\n${log}`);
  return (JSON.parse(fs.readFileSync(output, 'utf8')) as RawResult[]).map(result => replayed(folder, result)).sort((a, b) => (a.name < b.name ? -1 : 1));
}

interface RawResult {
  readonly file: string;
  readonly results: readonly { readonly i: number; readonly step?: string; readonly ok: boolean; readonly wording?: boolean; readonly diffs?: readonly { readonly at: string; readonly want: unknown; readonly got: unknown }[] }[];
}

/** Characters of a value that a report shows. */
const valueCharactersMax = 120;

function replayed(folder: string, { file, results }: RawResult): Replayed {
  const wrong = results.filter(({ ok }) => !ok).map(({ i, step, diffs = [] }) => {
    const shown = diffs.slice(0, 3).map(({ at, want, got }) => `${at}: want ${brief(want)} got ${brief(got)}`).join('; ');
    return `step ${i} ${step ?? ''}: ${shown}${diffs.length > 3 ? `; and ${diffs.length - 3} more` : ''}`;
  });
  const name = path.relative(path.join(folder, 'scenarios'), path.resolve(file)).replaceAll(path.sep, '/').replace(/\.json$/, '');
  return { name, passed: wrong.length === 0, wrong, wording: results.filter(({ wording }) => wording).length };
}

function brief(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, valueCharactersMax);
}

function run(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let log = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk: string) => { log += chunk; });
    child.once('error', reject);
    child.once('close', () => resolve(log));
  });
}

function existing(folder: string): string | null {
  return fs.existsSync(folder) ? folder : null;
}
