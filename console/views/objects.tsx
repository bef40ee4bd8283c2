import type { VNode } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ViewProps } from './viewProps.js';
import { messageOf, type ApiClient } from '../api/client.js';
import { discover, pathOf, type Resource } from '../api/resources.js';
import { followTable } from '../api/watch.js';
import { t } from '../english.js';
import { shownRows, TableModel, type Column, type Order, type Row } from '../model/tableModel.js';
import { useFrames, useRun } from '../parts/hooks.js';
import { Heading, Problem } from '../parts/words.js';
import { Detail } from './detail.js';
import { ObjectTable } from './objectTable.js';

/** The address: `group/resource?namespace=…`, where the core group is `core`. */
interface Place {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
}

function placeIn(rest: string): Place {
  const [path = '', search = ''] = rest.split('?');
  const [group = 'core', resource = 'pods'] = path === '' ? [] : path.split('/');
  return { group: group === 'core' ? '' : group, resource, namespace: new URLSearchParams(search).get('namespace') ?? '' };
}

const hashOf = ({ group, resource, namespace }: Place): string =>
  `#objects/${group === '' ? 'core' : group}/${resource}${namespace === '' ? '' : `?namespace=${encodeURIComponent(namespace)}`}`;

/** Any resource, as the server's own tables show it, live. */
export function Objects({ client, rest }: ViewProps): VNode {
  const [resources, setResources] = useState<readonly Resource[]>([]);
  const [problem, setProblem] = useState('');
  const place = placeIn(rest);
  useEffect(() => {
    discover(client).then(setResources, (error: unknown) => setProblem(messageOf(error)));
  }, [client]);
  const resource = resources.find((each) => each.group === place.group && each.resource === place.resource);
  return (
    <div class="objects">
      <ResourceList resources={resources} place={place} />
      <div class="objects-main">
        {problem === '' ? null : <Problem>{problem}</Problem>}
        {resource === undefined ? null : (
          <Collection
            key={`${resource.group}/${resource.resource}`}
            client={client}
            resource={resource}
            resources={resources}
            place={place}
          />
        )}
      </div>
    </div>
  );
}

function ResourceList({ resources, place }: { readonly resources: readonly Resource[]; readonly place: Place }): VNode {
  const [text, setText] = useState('');
  const groups = useMemo(() => {
    const found = new Map<string, Resource[]>();
    for (const each of resources) {
      if (!`${each.resource} ${each.kind} ${each.group}`.toLowerCase().includes(text.trim().toLowerCase())) continue;
      found.set(each.group, [...(found.get(each.group) ?? []), each]);
    }
    return found;
  }, [resources, text]);
  return (
    <aside class="resources">
      <label class="unseen" for="find-resource">
        {t.objects.findResource}
      </label>
      <input
        id="find-resource"
        type="search"
        placeholder={t.objects.findResource}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <nav aria-label={t.objects.resource} tabIndex={0}>
        {[...groups].map(([group, list]) => (
          <div key={group}>
            <h2>{group === '' ? t.objects.core : group}</h2>
            <ul>
              {list.map((each) => (
                <li>
                  <a
                    href={hashOf({ group: each.group, resource: each.resource, namespace: each.namespaced ? place.namespace : '' })}
                    aria-current={each.group === place.group && each.resource === place.resource ? 'true' : undefined}
                  >
                    {each.resource}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
    </aside>
  );
}

interface CollectionProps {
  readonly client: ApiClient;
  readonly resource: Resource;
  readonly resources: readonly Resource[];
  readonly place: Place;
}

interface Live {
  readonly model: TableModel;
  columns: readonly Column[];
  state: 'listing' | 'live' | 'reconnecting';
  problem: string;
  changes: number;
  /** Changes in each of the last seconds. */
  rate: number;
}

/** Rows are not sorted or filtered again for each frame. */
const viewEveryMs = 250;

function Collection({ client, resource, resources, place }: CollectionProps): VNode {
  const [selector, setSelector] = useState({ labels: '', fields: '' });
  const [text, setText] = useState('');
  const [order, setOrder] = useState<Order | null>(null);
  const [wide, setWide] = useState(false);
  const [opened, setOpened] = useState<Row | null>(null);
  const live = useLiveTable(client, pathOf(resource, place.namespace), selector, () => setOpened(null));

  const rows = useShown(live.model, text, order);
  const columns = live.columns.filter(({ priority }) => wide || priority === 0);
  return (
    <>
      <Heading text={resource.kind} />
      <Filters
        client={client}
        resource={resource}
        place={place}
        text={text}
        setText={setText}
        setSelector={setSelector}
        wide={wide}
        setWide={setWide}
      />
      <TableState live={live} shown={rows.length} />
      {live.problem === '' ? null : <Problem>{live.problem}</Problem>}
      <div class={`split ${opened === null ? '' : 'open'}`}>
        <ObjectTable
          label={t.objects.table(resource.resource)}
          columns={columns}
          all={live.columns}
          rows={rows}
          namespaced={resource.namespaced && place.namespace === ''}
          order={order}
          setOrder={setOrder}
          opened={opened?.key ?? null}
          open={setOpened}
          listed={live.state !== 'listing'}
        />
        {opened === null ? null : (
          <Detail
            key={opened.key}
            client={client}
            resource={resource}
            resources={resources}
            namespace={opened.object.metadata.namespace ?? ''}
            name={opened.object.metadata.name}
            close={() => setOpened(null)}
          />
        )}
      </div>
    </>
  );
}

interface Selector {
  readonly labels: string;
  readonly fields: string;
}

/** Follows the table of a collection; `restarted` is called whenever another one begins. */
function useLiveTable(client: ApiClient, path: string, selector: Selector, restarted: () => void): Live {
  const [live] = useState<Live>(() => ({ model: new TableModel(), columns: [], state: 'listing', problem: '', changes: 0, rate: 0 }));
  const draw = useFrames();
  useRun(
    (signal) => {
      live.model.reset([]);
      restarted();
      const sink: Parameters<typeof followTable>[2] = {
        listed: (columns, rows) => {
          live.columns = columns;
          live.model.reset(rows);
          draw();
        },
        changed: (events) => {
          const now = performance.now();
          for (const event of events) live.model.apply(event, now);
          live.changes += events.length;
          draw();
        },
        state: (state, error) => {
          live.state = state;
          live.problem = error?.message ?? '';
          draw();
        },
      };
      void followTable(client, { path, ...selector }, sink, signal);
      const timer = setInterval(() => {
        [live.rate, live.changes] = [live.changes, 0];
        draw();
      }, 1_000);
      signal.addEventListener('abort', () => clearInterval(timer));
    },
    [client, path, selector],
  );
  return live;
}

const TableState = ({ live, shown }: { readonly live: Live; readonly shown: number }): VNode => (
  <p class="table-state" role="status">
    <span class={`standing ${live.state === 'live' ? 'leader' : 'candidate'}`} />
    {live.state === 'live' ? t.objects.live : live.state === 'listing' ? t.objects.listing : t.objects.reconnecting}
    {' · '}
    <span data-rows={live.model.rows.length}>{t.objects.count(shown, live.model.rows.length)}</span>
    {live.rate > 0 ? ` · ${t.objects.rate(live.rate)}` : ''}
    <span class="keys">{t.objects.keys}</span>
  </p>
);

/** Returns the shown rows. Without a filter and an order those are the model's own; else they are computed a few times a second at most. */
function useShown(model: TableModel, text: string, order: Order | null): readonly Row[] {
  const known = useRef<{ rows: readonly Row[]; version: number; text: string; order: Order | null; at: number } | null>(null);
  if (text.trim() === '' && order === null) return model.rows;
  const last = known.current;
  const now = performance.now();
  const isAsked = last !== null && last.text === text && last.order === order;
  if (isAsked && (last.version === model.version || now - last.at < viewEveryMs)) return last.rows;
  const rows = shownRows(model.rows, text, order);
  known.current = { rows, version: model.version, text, order, at: now };
  return rows;
}

interface FilterProps {
  readonly client: ApiClient;
  readonly resource: Resource;
  readonly place: Place;
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly setSelector: (selector: Selector) => void;
  readonly wide: boolean;
  readonly setWide: (wide: boolean) => void;
}

function Filters({ client, resource, place, text, setText, setSelector, wide, setWide }: FilterProps): VNode {
  const name = useRef<HTMLInputElement>(null);
  const labels = useRef<HTMLInputElement>(null);
  const fields = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const toFilter = (event: KeyboardEvent): void => {
      const typing = event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
      if (event.key !== '/' || typing) return;
      event.preventDefault();
      name.current?.focus();
    };
    addEventListener('keydown', toFilter);
    return () => removeEventListener('keydown', toFilter);
  }, []);
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
        setSelector({ labels: labels.current?.value.trim() ?? '', fields: fields.current?.value.trim() ?? '' });
      }}
    >
      {resource.namespaced ? <Namespaces client={client} place={place} /> : null}
      <label>
        {t.objects.name}
        <input ref={name} type="search" value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <label>
        {t.objects.labels}
        <input ref={labels} placeholder={t.objects.labelsHint} spellcheck={false} />
      </label>
      <label>
        {t.objects.fields}
        <input ref={fields} placeholder={t.objects.fieldsHint} spellcheck={false} />
      </label>
      <button type="submit">{t.objects.apply}</button>
      <label class="check">
        <input type="checkbox" checked={wide} onChange={(event) => setWide(event.currentTarget.checked)} />
        {t.objects.wide}
      </label>
    </form>
  );
}

/** A list of namespaces for users who may list them; for others a text field. */
function Namespaces({ client, place }: { readonly client: ApiClient; readonly place: Place }): VNode {
  const [names, setNames] = useState<readonly string[] | null>([]);
  useEffect(() => {
    client.json<{ readonly items: readonly { readonly metadata: { readonly name: string } }[] }>('/api/v1/namespaces').then(
      ({ items }) => setNames(items.map(({ metadata }) => metadata.name)),
      () => setNames(null),
    );
  }, [client]);
  const go = (namespace: string): void => {
    location.hash = hashOf({ ...place, namespace });
  };
  return (
    <label>
      {t.objects.namespace}
      {names === null ? (
        <input value={place.namespace} spellcheck={false} onChange={(event) => go(event.currentTarget.value.trim())} />
      ) : (
        <select value={place.namespace} onChange={(event) => go(event.currentTarget.value)}>
          <option value="">{t.objects.allNamespaces}</option>
          {(names.includes(place.namespace) || place.namespace === '' ? names : [...names, place.namespace]).map((name) => (
            <option value={name}>{name}</option>
          ))}
        </select>
      )}
    </label>
  );
}
