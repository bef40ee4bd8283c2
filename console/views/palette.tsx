import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { ApiClient } from '../api/client.js';
import { readMetadata } from '../api/metadata.js';
import { discover, type Resource } from '../api/resources.js';
import { t } from '../english.js';
import { hashOf } from '../model/place.js';
import { found, type Found } from '../model/search.js';
import { useFrames, useModal, useRun } from '../parts/hooks.js';

/** Objects of each resource that are looked through. */
const objectsMax = 500;
const shownMax = 30;
const freshMs = 20_000;
/** Many, and never looked for by name. */
const leftOut: ReadonlySet<string> = new Set(['events', 'leases']);

interface PaletteProps {
  readonly client: ApiClient;
  readonly views: readonly Found[];
  readonly close: () => void;
}

/** A search over views, resources and objects by keyboard: https://www.w3.org/WAI/ARIA/apg/patterns/combobox/ */
export function Palette({ client, views, close }: PaletteProps): VNode {
  const dialog = useModal();
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const among = useEverything(client, views);
  const results = useMemo(() => found(among.list, text, shownMax), [among.list, among.list.length, text]);
  const current = Math.min(active, Math.max(0, results.length - 1));
  const go = (hash: string): void => {
    location.hash = hash;
    close();
  };
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => setActive(Math.min(results.length - 1, current + 1)),
    ArrowUp: () => setActive(Math.max(0, current - 1)),
    Enter: () => results[current] !== undefined && go(results[current].hash),
  };
  const pressed = (event: KeyboardEvent): void => {
    const act = keys[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  };
  return (
    <dialog ref={dialog} class="palette" aria-label={t.search.label} onClose={close}>
      <input
        type="text"
        role="combobox"
        list={undefined}
        aria-expanded="true"
        aria-controls="found"
        aria-activedescendant={results.length === 0 ? undefined : `found-${current}`}
        aria-label={t.search.label}
        placeholder={t.search.hint}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setActive(0);
        }}
        onKeyDown={pressed}
      />
      <Results results={results} current={current} go={go} />
      <p class="soft" role="status">
        {results.length === 0 ? t.search.nothing : ''} {among.reading ? t.search.reading : ''}
      </p>
    </dialog>
  );
}

interface ResultsProps {
  readonly results: readonly Found[];
  readonly current: number;
  readonly go: (hash: string) => void;
}

const Results = ({ results, current, go }: ResultsProps): VNode => (
  <ul id="found" role="listbox" aria-label={t.search.results} tabIndex={-1}>
    {results.map(({ label, kind, namespace, hash }, index) => (
      <li key={hash} id={`found-${index}`} role="option" aria-selected={index === current} onClick={() => go(hash)}>
        <b>{label}</b> <span class="soft">{namespace === '' ? kind : `${kind} · ${namespace}`}</span>
      </li>
    ))}
  </ul>
);

/** The last reading by each client. */
const known = new WeakMap<ApiClient, { readonly list: readonly Found[]; readonly at: number }>();

/** All searchable entries. Objects appear as they are read; until a new reading ends, the last one counts. */
function useEverything(client: ApiClient, views: readonly Found[]): { readonly list: readonly Found[]; readonly reading: boolean } {
  const before = known.get(client);
  const isFresh = before !== undefined && Date.now() - before.at < freshMs;
  const [state] = useState(() => ({ list: [...views, ...(before?.list ?? [])], reading: !isFresh }));
  const draw = useFrames();
  useRun(
    (signal) => {
      if (!state.reading) return;
      const list: Found[] = [];
      const take = (found: readonly Found[]): void => {
        list.push(...found);
        if (before === undefined) state.list.push(...found);
        draw();
      };
      void readEverything(client, take, signal)
        .then(
          () => {
            if (signal.aborted) return;
            known.set(client, { list, at: Date.now() });
            state.list = [...views, ...list];
          },
          () => undefined,
        )
        .finally(() => {
          state.reading = false;
          draw();
        });
    },
    [client],
  );
  return state;
}

async function readEverything(client: ApiClient, take: (found: readonly Found[]) => void, signal: AbortSignal): Promise<void> {
  const resources = await discover(client);
  take(resources.map(resourceFound));
  await readMetadata(
    client,
    resources.filter(({ resource }) => !leftOut.has(resource)),
    {
      namespace: '',
      limit: objectsMax,
      signal,
      take: (resource, objects) => take(objects.map(({ metadata }) => objectFound(resource, metadata))),
    },
  );
}

const resourceFound = (resource: Resource): Found => ({
  label: resource.resource,
  kind: t.search.resource(resource.group),
  namespace: '',
  hash: hashOf({ ...resource, namespace: '', name: '' }),
});

const objectFound = (resource: Resource, { name, namespace = '' }: { readonly name: string; readonly namespace?: string }): Found => ({
  label: name,
  kind: resource.kind,
  namespace,
  hash: hashOf({ ...resource, namespace, name }),
});
