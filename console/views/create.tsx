import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { parseAllDocuments } from 'yaml';
import { ApiError, messageOf, type ApiClient } from '../api/client.js';
import { groupVersionOf, pathOf, resourceOfKind, type Resource } from '../api/resources.js';
import { t } from '../english.js';
import { diffLines, type DiffLine } from '../model/diff.js';
import type { ApiObject } from '../model/objects.js';
import { Diff, Problem } from '../parts/words.js';
import { yamlOf } from './editor.js';

interface CreateProps {
  readonly client: ApiClient;
  readonly resources: readonly Resource[];
  /** Objects without a namespace go here. */
  readonly namespace: string;
  readonly close: () => void;
}

interface Applied {
  readonly name: string;
  readonly outcome: 'created' | 'changed' | 'unchanged' | 'refused';
  readonly lines: readonly DiffLine[];
  readonly problem: string;
}

interface Tried {
  readonly text: string;
  readonly dryRun: boolean;
  readonly results: readonly Applied[];
}

function useApplications({ client, ...how }: Omit<CreateProps, 'close'> & { readonly force: boolean }, text: string) {
  const [busy, setBusy] = useState(false);
  const [tried, setTried] = useState<Tried | null>(null);
  const [problem, setProblem] = useState('');
  const run = async (dryRun: boolean): Promise<void> => {
    setBusy(true);
    setProblem('');
    try {
      const results: Applied[] = [];
      for (const object of objectsIn(text)) results.push(await applied(client, { ...how, object, dryRun }));
      setTried({ text, dryRun, results });
    } catch (error) {
      setProblem(messageOf(error));
    }
    setBusy(false);
  };
  return { busy, tried, problem, run };
}

/** Applies one or more objects in YAML, each after a dry run. */
export function Create({ client, resources, namespace, close }: CreateProps): VNode {
  const [text, setText] = useState('');
  const [force, setForce] = useState(false);
  const { busy, tried, problem, run } = useApplications({ client, resources, namespace, force }, text);
  const isTried = tried !== null && tried.text === text && tried.results.every(({ outcome }) => outcome !== 'refused');
  return (
    <section class="card create" aria-labelledby="create">
      <h2 id="create">{t.create.heading}</h2>
      <p class="soft">{t.create.about(namespace === '' ? 'default' : namespace)}</p>
      <textarea
        aria-label={t.create.text}
        spellcheck={false}
        rows={14}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <p class="toolbar">
        <button type="button" disabled={busy || text.trim() === ''} onClick={() => void run(true)}>
          {t.objects.dryRun}
        </button>
        <button type="button" class="main" disabled={busy || !isTried || !tried.dryRun} onClick={() => void run(false)}>
          {t.objects.applyEdit}
        </button>
        <button type="button" class="quiet" onClick={close}>
          {t.close}
        </button>
        <label class="check">
          <input type="checkbox" checked={force} onChange={(event) => setForce(event.currentTarget.checked)} />
          {t.create.force}
        </label>
      </p>
      {problem === '' ? null : <Problem>{problem}</Problem>}
      {tried?.text === text ? outcomes(tried) : null}
    </section>
  );
}

const outcomes = ({ results, dryRun }: Tried): VNode => (
  <ul class="applied" role="status">
    {results.map((result) => (
      <Outcome key={result.name} result={result} dryRun={dryRun} />
    ))}
  </ul>
);

const Outcome = ({ result: { name, outcome, lines, problem }, dryRun }: { readonly result: Applied; readonly dryRun: boolean }): VNode => (
  <li data-outcome={outcome}>
    <b>{name}</b> <span class="soft">{t.create.outcome(outcome, dryRun)}</span>
    {problem === '' ? null : <Problem>{problem}</Problem>}
    {outcome === 'changed' ? <Diff lines={lines} /> : null}
  </li>
);

interface Wanted extends ApiObject {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Throws a readable error if the text is no sequence of objects. */
function objectsIn(text: string): readonly Wanted[] {
  const objects = parseAllDocuments(text).flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw new Error(t.objects.notYaml(error.message));
    const value: unknown = document.toJS();
    return value === null ? [] : [value as Partial<Wanted>];
  });
  return objects.map((object) => {
    if (typeof object.apiVersion !== 'string' || typeof object.kind !== 'string' || typeof object.metadata?.name !== 'string')
      throw new Error(t.create.incomplete);
    return object as Wanted;
  });
}

interface Application extends Pick<CreateProps, 'resources' | 'namespace'> {
  readonly object: Wanted;
  readonly dryRun: boolean;
  readonly force: boolean;
}

async function applied(client: ApiClient, { object, resources, namespace, dryRun, force }: Application): Promise<Applied> {
  const { apiVersion, kind, metadata } = object;
  const resource = resourceOfKind(resources, apiVersion, kind);
  const refused = (problem: string): Applied => ({ name: `${kind} ${metadata.name}`, outcome: 'refused', lines: [], problem });
  if (resource === undefined) return refused(t.create.unknown(apiVersion, kind));
  const within = resource.namespaced ? (metadata.namespace ?? (namespace === '' ? 'default' : namespace)) : '';
  const path = pathOf({ ...resource, ...groupVersionOf(apiVersion) }, within, metadata.name);
  try {
    const before = await client.json<ApiObject>(path).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 404) return null;
      throw error;
    });
    const query = new URLSearchParams({
      fieldManager: 'raftplane-console',
      fieldValidation: 'Strict',
      force: String(force),
      ...(dryRun ? { dryRun: 'All' } : {}),
    });
    const after = await client.json<ApiObject>(`${path}?${query.toString()}`, {
      method: 'PATCH',
      body: object,
      contentType: 'application/apply-patch+yaml',
    });
    const lines = before === null ? [] : diffLines(yamlOf(before), yamlOf(after));
    const outcome = before === null ? 'created' : lines.some(({ sign }) => sign !== ' ') ? 'changed' : 'unchanged';
    return { name: `${kind} ${metadata.name}`, outcome, lines, problem: '' };
  } catch (error) {
    return refused(messageOf(error));
  }
}
