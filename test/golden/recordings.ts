import fs from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../fixtures/packageRoot.js';

/** Recordings of a reference server: `recordings/README.md` explains the form. */
export const recordingsFolder = path.join(packageRoot, 'test', 'golden', 'recordings');

/** A JSON pointer; a segment `*` matches every item or member. */
export type Pointer = string;

export interface Expectation {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: unknown;
  readonly events?: readonly unknown[];
}

/** One step of a scenario, by its member `do`, `watch`, `events`, `eventually` or `wait`. */
export interface Step {
  readonly do?: string;
  readonly eventually?: string;
  /** Seconds until `where` holds, or until all events arrive. */
  readonly within?: number;
  readonly where?: Readonly<Record<Pointer, unknown>>;
  readonly watch?: string;
  readonly name?: string;
  readonly events?: string;
  readonly count?: number;
  /** false: more events may come. */
  readonly exactly?: boolean;
  /** Milliseconds. */
  readonly wait?: number;
  readonly type?: string;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly raw?: string;
  readonly as?: { readonly user: string; readonly groups?: readonly string[] };
  readonly save?: Readonly<Record<string, Pointer>>;
  readonly ignore?: readonly Pointer[];
  readonly keep?: readonly Pointer[];
  readonly expect?: Expectation;
}

export interface Scenario {
  readonly name: string;
  readonly about?: string;
  /** `controllers`, `nodes`, `compaction`; `alone`: changes cluster-wide defaults. */
  readonly needs?: readonly string[];
  readonly ignore?: readonly Pointer[];
  readonly steps: readonly Step[];
}

export type Edit = { readonly at: Pointer; readonly set: unknown } | { readonly at: Pointer; readonly drop: true };

/** The recorded part of an answer to a changed object. */
export interface Outcome {
  readonly status: number;
  readonly reason?: string;
  /** Field, reason and message of each. */
  readonly causes?: readonly (readonly [string, string, string])[];
  readonly message?: string;
  readonly warnings?: readonly string[];
  /** The whole answer, for the unchanged object. */
  readonly object?: unknown;
  /** Differences from the answer to the unchanged object. */
  readonly changes?: Readonly<Record<Pointer, unknown>>;
}

/** A request with a changed valid object. */
export interface Change {
  readonly base: string;
  readonly verb: 'create' | 'update';
  readonly edit?: readonly Edit[];
}
export interface Variation extends Change {
  readonly expect: Outcome;
}

/** Named valid objects of one resource. */
export interface Bases {
  /** Path of the collection. */
  readonly resource: string;
  readonly bases: Readonly<Record<string, unknown>>;
}
export interface Variations extends Bases {
  readonly cases: readonly Variation[];
}

/** All recorded areas. */
export const allAreas = (): string[] => fs.readdirSync(path.join(recordingsFolder, 'scenarios')).sort();

/** Scenarios of the areas, as `area/name`. */
export const listScenarios = (areas: readonly string[]): string[] =>
  areas.flatMap((area) => jsonFiles(path.join('scenarios', area)).map((name) => `${area}/${name}`));

export const readScenario = (name: string): Scenario => read(path.join('scenarios', `${name}.json`)) as Scenario;

/** Resources with variations, as `apps.v1.deployments`. */
export const listVariations = (): string[] => jsonFiles('variations');

export const readVariations = (name: string): Variations => read(path.join('variations', `${name}.json`)) as Variations;

const jsonFiles = (folder: string): string[] =>
  fs
    .readdirSync(path.join(recordingsFolder, folder))
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length))
    .sort();
const read = (file: string): unknown => JSON.parse(fs.readFileSync(path.join(recordingsFolder, file), 'utf8'));
