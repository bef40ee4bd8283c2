import fs from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../fixtures/packageRoot.js';
import { Connection, type Server } from './connection.js';
import type { Difference } from './differences.js';
import { listVariations, readScenario, readVariations } from './recordings.js';
import { playScenario, type StepResult } from './scenario.js';
import { probe, type Probed } from './probe.js';
import { playVariations, type VariationResult } from './variation.js';

/** The result of a scenario: `wrong` has a line for each differing step. */
export interface Replayed {
  readonly name: string;
  readonly passed: boolean;
  readonly wrong: readonly string[];
  /** Steps that differ only in the wording of a message. */
  readonly wording: number;
}

interface Expectations {
  /** Areas that are replayed whole; of others, only listed scenarios. */
  readonly areas: readonly string[];
  readonly passing: readonly string[];
}

const scenarioList = path.join(packageRoot, 'test', 'golden', 'passing.json');
const variationList = path.join(packageRoot, 'test', 'golden', 'failingVariations.json');

/** Reads the list of passing scenarios. */
export const readExpectations = (): Expectations => JSON.parse(fs.readFileSync(scenarioList, 'utf8')) as Expectations;

export function writeExpectations(expectations: Expectations): void {
  fs.writeFileSync(scenarioList, JSON.stringify({ ...expectations, passing: [...expectations.passing].sort() }, null, 2) + '\n');
}

/** Reads the list of failing variations, which is the shorter one. */
export const readFailingVariations = (): readonly string[] => JSON.parse(fs.readFileSync(variationList, 'utf8')) as string[];

export function writeFailingVariations(ids: readonly string[]): void {
  fs.writeFileSync(variationList, `${JSON.stringify([...ids].sort(), null, 1)}\n`);
}

/** The cluster for a set of scenarios. Pods of scenarios without nodes must stay unscheduled. */
export interface Surroundings {
  readonly names: readonly string[];
  readonly cluster: { readonly replicas: 1 | 3; readonly managers: number; readonly fakeNodes: number };
}

/** Areas with absent owners, whose objects the garbage collector would delete. */
const withoutControllers: readonly string[] = ['ownership'];

/** Groups scenarios by their needs. Most need a controller manager, because pods require the default account of a namespace. */
export function bySurroundings(names: readonly string[]): Surroundings[] {
  const alone = names.filter((name) => withoutControllers.includes(name.split('/')[0] ?? ''));
  const withNodes = names.filter((name) => !alone.includes(name) && needs(name, 'nodes'));
  const others = names.filter((name) => !alone.includes(name) && !withNodes.includes(name));
  const groups = [
    { names: others, cluster: { replicas: 3, managers: 1, fakeNodes: 0 } },
    { names: withNodes, cluster: { replicas: 1, managers: 1, fakeNodes: 2 } },
    { names: alone, cluster: { replicas: 1, managers: 0, fakeNodes: 0 } },
  ] as const;
  return groups.filter((group) => group.names.length > 0);
}

const needs = (name: string, what: string): boolean => readScenario(name).needs?.includes(what) ?? false;

/** Scenarios mostly wait. */
const scenariosAtOnce = 12;
/** Variations never wait. */
const resourcesAtOnce = 4;

/** Replays scenarios against a server; those that change cluster-wide defaults run last, one at a time. */
export async function replay(names: readonly string[], server: Server): Promise<Replayed[]> {
  const connection = new Connection(server);
  const results: Replayed[] = [];
  const play = async (name: string): Promise<void> => void results.push(await replayed(connection, name));
  const alone = names.filter((name) => needs(name, 'alone'));
  await several(
    names.filter((name) => !alone.includes(name)),
    scenariosAtOnce,
    play,
  );
  await several(alone, 1, play);
  connection.close();
  return results.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function replayed(connection: Connection, name: string): Promise<Replayed> {
  const results = await playScenario(connection, readScenario(name)).catch((error: unknown): StepResult[] => [
    { index: -1, about: 'scenario', differences: [{ at: 'scenario', want: 'a run', got: String(error) }], wordingOnly: false },
  ]);
  const wrong = results
    .filter(({ differences }) => differences.length > 0)
    .map(({ index, about, differences }) => `step ${index} ${about}: ${shown(differences)}`);
  return { name, passed: wrong.length === 0, wrong, wording: results.filter(({ wordingOnly }) => wordingOnly).length };
}

/** The cluster for variations: without controllers, whose timing is random. */
export const variationCluster = { replicas: 1, managers: 0, fakeNodes: 0 } as const;

/** Replays variations of resources whose names contain one of the parts; of all without parts. */
export async function replayVariations(server: Server, parts: readonly string[] = []): Promise<VariationResult[]> {
  const connection = new Connection(server);
  const results: VariationResult[] = [];
  const names = listVariations().filter((name) => parts.length === 0 || parts.some((part) => name.includes(part)));
  await several(names, resourcesAtOnce, async (name) => {
    results.push(...(await playVariations(connection, name, readVariations(name))));
  });
  connection.close();
  return results.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Changes recorded objects of matching resources and groups the answers. */
export async function probeResources(server: Server, parts: readonly string[]): Promise<Probed[]> {
  const connection = new Connection(server);
  const results: Probed[] = [];
  const names = listVariations().filter((name) => parts.some((part) => name.includes(part)));
  await several(names, resourcesAtOnce, async (name) => {
    results.push({ name, lines: await probe(connection, readVariations(name)) });
  });
  connection.close();
  return results.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function several<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const drain = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, drain));
}

/** Limits of a report: characters of a value, and differences of a step. */
const valueCharactersMax = 120;
const differencesShownMax = 3;

function shown(differences: readonly Difference[]): string {
  const first = differences
    .slice(0, differencesShownMax)
    .map(({ at, want, got }) => `${at}: want ${brief(want)} got ${brief(got)}`)
    .join('; ');
  return `${first}${differences.length > differencesShownMax ? `; and ${differences.length - differencesShownMax} more` : ''}`;
}

export const brief = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, valueCharactersMax);
