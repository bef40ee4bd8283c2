import { Command } from 'commander';
import type { Finding, ManifestChecker } from '../../server/manifests/index.js';
import { membersOf } from '../../api/json/members.js';
import type { JsonObject, JsonValue } from '../../api/object.js';
import { manifestFilesIn } from '../manifestFiles.js';
import { readManifests, type Manifest } from './manifests.js';
import { exitCodes, paint, print, say } from './output.js';

/** The result of the check of one object. */
interface Report {
  readonly file: string;
  readonly line: number;
  /** `Kind/name`, or less where the object has less. */
  readonly object: string;
  /** False for an object of a kind without a definition here. */
  readonly checked: boolean;
  readonly findings: readonly (Finding & { readonly line: number })[];
  readonly warnings: readonly string[];
}

export const lintCommand = (): Command =>
  new Command('lint')
    .description(
      'Checks manifests as an API server of this release would, without one: unknown fields, types, validation, rules of definitions.',
    )
    .exitOverride()
    .argument('<files...>', 'files or folders of YAML or JSON; - is standard input; definitions among them apply to the others')
    .option('--json', 'one JSON document instead of words', false)
    .action(lint);

async function lint(places: readonly string[], { json }: { readonly json: boolean }): Promise<void> {
  // Loaded on demand, because the rules of all kinds take time.
  const { ManifestChecker } = await import('../../server/manifests/index.js');
  const manifests = places.flatMap((place) => (place === '-' ? [place] : manifestFilesIn(place))).flatMap(readManifests);
  const reports = await reportsOn(manifests, new ManifestChecker());
  if (json) print(JSON.stringify(reports, null, 2));
  else reports.forEach(show);
  const count = reports.reduce((sum, { findings }) => sum + findings.length, 0);
  const unchecked = reports.filter(({ checked }) => !checked).length;
  say(
    `${counted(reports.length, 'object')}, ${counted(count, 'finding')}${unchecked === 0 ? '' : `, ${counted(unchecked, 'object')} not checked: no definition of their kind is given`}`,
  );
  if (count > 0) process.exitCode = exitCodes.failed;
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

const isDefinition = (object: object | null): object is object =>
  object !== null && 'kind' in object && object.kind === 'CustomResourceDefinition';

/** Definitions are checked first: those without a finding apply to the others. */
async function reportsOn(manifests: readonly Manifest[], checker: ManifestChecker): Promise<readonly Report[]> {
  const reports = new Map<Manifest, Report>();
  for (const manifest of manifests.toSorted((a, b) => Number(isDefinition(b.object)) - Number(isDefinition(a.object)))) {
    const report = await reportOn(manifest, checker);
    if (isDefinition(manifest.object) && report.checked && report.findings.length === 0) checker.define(manifest.object);
    reports.set(manifest, report);
  }
  return manifests.map((manifest) => reports.get(manifest)!);
}

async function reportOn({ file, object, unreadable, lineOf }: Manifest, checker: ManifestChecker): Promise<Report> {
  const about = { file, line: lineOf(''), object: object === null ? '' : nameOf(object) };
  const at = (finding: Finding): Finding & { readonly line: number } => ({ ...finding, line: lineOf(finding.path) });
  if (object === null) {
    const message = unreadable ?? '';
    return { ...about, checked: true, findings: [at({ type: 'FieldValueInvalid', path: '', message })], warnings: [] };
  }
  if (!checker.knows(object)) return { ...about, checked: false, findings: [], warnings: [] };
  const { findings, warnings } = await checker.check(object);
  return { ...about, checked: true, findings: findings.map(at), warnings };
}

function nameOf(object: object): string {
  const { kind, metadata } = object as JsonObject;
  const { name, generateName } = membersOf(metadata);
  return [kind, name ?? generateName].filter((part: JsonValue | undefined) => typeof part === 'string').join('/');
}

function show({ file, line, object, findings, warnings }: Report): void {
  for (const each of findings)
    print(`${file}:${each.line}: ${paint('bad', 'refused')} ${object}: ${each.path === '' ? '' : `${each.path}: `}${each.message}`);
  for (const text of warnings) print(`${file}:${line}: ${paint('note', 'warning')} ${object}: ${text}`);
}
