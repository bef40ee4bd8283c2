import fs from 'node:fs';
import path from 'node:path';
import type { KubeObject } from '../../../api/meta/object.js';
import { objectsOf, type Manifests } from '../objects.js';

/** One step, after which the operator has time for all its work. */
export type ScenarioStep = { readonly name?: string; readonly apply: Manifests } | { readonly name?: string; readonly delete: Manifests };

export interface Step {
  readonly name: string;
  readonly does: 'apply' | 'delete';
  readonly objects: readonly KubeObject[];
}

/** Reads the steps of a folder, one per file. `30-gone.delete.yaml` deletes the objects it names. Throws for a folder without steps. */
export function readScenario(folder: string): readonly ScenarioStep[] {
  const files = fs
    .readdirSync(folder)
    .filter((file) => /\.(ya?ml|json)$/.test(file))
    .sort();
  if (files.length === 0) throw new Error(`${folder} holds no steps: files such as 10-create.yaml, 20-change.yaml, 30-gone.delete.yaml`);
  return files.map((name) => {
    const text = fs.readFileSync(path.join(folder, name), 'utf8');
    return /\.delete\.\w+$/.test(name) ? { name, delete: text } : { name, apply: text };
  });
}

const identity = ({ apiVersion, kind, metadata: { namespace = 'default', name } }: KubeObject): string =>
  `${apiVersion} ${kind} ${namespace}/${name}`;

export function stepsOf(scenario: readonly ScenarioStep[]): readonly Step[] {
  const steps = scenario.map((step, index): Step => {
    const [does, manifests] = 'apply' in step ? (['apply', step.apply] as const) : (['delete', step.delete] as const);
    return { name: step.name ?? `step ${index + 1}`, does, objects: objectsOf(manifests) };
  });
  const left = new Map<string, KubeObject>();
  for (const { does, objects } of steps)
    for (const object of objects)
      if (does === 'apply') left.set(identity(object), object);
      else left.delete(identity(object));
  return left.size === 0 ? steps : [...steps, { name: 'delete what is left', does: 'delete', objects: [...left.values()].reverse() }];
}
