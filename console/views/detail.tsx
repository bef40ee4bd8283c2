import type { ComponentType, VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { parse, stringify } from 'yaml';
import { ApiError, messageOf, type ApiClient } from '../api/client.js';
import { pathOf, type Resource } from '../api/resources.js';
import { pause } from '../api/watch.js';
import { t } from '../english.js';
import { diffLines, type DiffLine } from '../model/diff.js';
import { withoutManagedFields, type ApiObject } from '../model/objects.js';
import { useRun } from '../parts/hooks.js';
import { clock, Diff, Problem } from '../parts/words.js';
import { EventsTab, FieldsTab, OwnersTab } from './about.js';
import { DeleteDialog, ScaleDialog } from './actions.js';
import { LogsTab } from './logs.js';
import { TerminalTab } from './terminal.js';
import type { DetailProps, TabProps } from './viewProps.js';

interface Change {
  readonly at: number;
  readonly lines: readonly DiffLine[];
}
const changesMax = 30;

const yamlOf = (object: ApiObject): string => stringify(withoutManagedFields(object), { lineWidth: 0, aliasDuplicateObjects: false });

const tabs: readonly (readonly [name: keyof typeof t.objects.tabs, tab: ComponentType<TabProps>, fits: (resource: Resource) => boolean])[] =
  [
    ['yaml', YamlTab, () => true],
    ['changes', () => null, () => true],
    ['events', EventsTab, () => true],
    ['owners', OwnersTab, () => true],
    ['fields', FieldsTab, () => true],
    ['logs', LogsTab, ({ subresources }) => subresources.includes('log')],
    ['terminal', TerminalTab, ({ subresources }) => subresources.includes('exec')],
  ];

/** One object, live: its state, changes, relatives, and actions. */
export function Detail(props: DetailProps): VNode {
  const { client, resource, namespace, name, close } = props;
  const [object, setObject] = useState<ApiObject | null>(null);
  const [deleted, setDeleted] = useState(false);
  const [problem, setProblem] = useState('');
  const [tab, setTab] = useState<keyof typeof t.objects.tabs>('yaml');
  const [dialog, setDialog] = useState<'delete' | 'scale' | null>(null);
  const changes = useRef<readonly Change[]>([]);
  const heading = useRef<HTMLHeadingElement>(null);

  useEffect(() => {
    const before = document.activeElement;
    heading.current?.focus();
    return () => (before instanceof HTMLElement && before.isConnected ? before.focus() : undefined);
  }, []);

  useEffect(() => {
    const leave = (event: KeyboardEvent): void => {
      // A user who edits would lose the text; a dialog has Escape for itself.
      if (event.key === 'Escape' && dialog === null && !(event.target instanceof HTMLTextAreaElement)) close();
    };
    addEventListener('keydown', leave);
    return () => removeEventListener('keydown', leave);
  }, [dialog]);

  useRun(
    (signal) => {
      let known: ApiObject | null = null;
      const see = (now: ApiObject): void => {
        if (known !== null && known.metadata.resourceVersion !== now.metadata.resourceVersion) {
          const lines = diffLines(yamlOf(known), yamlOf(now));
          changes.current = [{ at: Date.now(), lines }, ...changes.current].slice(0, changesMax);
        }
        known = now;
        setObject(now);
        setDeleted(false);
      };
      void followObject(props, { see, gone: () => setDeleted(true), tell: setProblem }, signal);
    },
    [client, resource, namespace, name],
  );

  const can = (verb: string): boolean => resource.verbs.includes(verb);
  const hasTemplate = typeof (object?.['spec'] as { readonly template?: unknown } | undefined)?.template === 'object';
  const restart = async (): Promise<void> => {
    const body = { spec: { template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': new Date().toISOString() } } } } };
    await client
      .json(pathOf(resource, namespace, name), { method: 'PATCH', body, contentType: 'application/strategic-merge-patch+json' })
      .then(
        () => setProblem(''),
        (error: unknown) => setProblem(messageOf(error)),
      );
  };
  const Tab = tabs.find(([each]) => each === tab)?.[1] ?? YamlTab;
  const shown = tabs.filter(([, , fits]) => fits(resource));
  return (
    <section class="detail" aria-labelledby="detail-name">
      <header>
        <div>
          <h2 id="detail-name" tabIndex={-1} ref={heading}>
            {name}
          </h2>
          <small>
            {resource.kind}
            {namespace === '' ? '' : ` · ${namespace}`}
          </small>
        </div>
        <div class="actions">
          {resource.subresources.includes('scale') && object !== null ? (
            <button type="button" onClick={() => setDialog('scale')}>
              {t.objects.scale}
            </button>
          ) : null}
          {hasTemplate && can('patch') && resource.group === 'apps' ? (
            <button type="button" title={t.objects.restartAbout} onClick={() => void restart()}>
              {t.objects.restart}
            </button>
          ) : null}
          {can('delete') ? (
            <button type="button" class="danger" onClick={() => setDialog('delete')}>
              {t.objects.delete}
            </button>
          ) : null}
          <button type="button" class="quiet" aria-label={t.close} onClick={close}>
            ✕
          </button>
        </div>
      </header>
      {deleted ? <Problem>{t.objects.deleted}</Problem> : null}
      {problem === '' ? null : <Problem>{problem}</Problem>}
      <div class="tabs" role="tablist" aria-label={t.objects.tabsOf(name)} onKeyDown={(event) => moveTab(event)}>
        {shown.map(([each]) => (
          <button
            type="button"
            role="tab"
            id={`tab-${each}`}
            aria-selected={each === tab}
            aria-controls="tab-panel"
            tabIndex={each === tab ? 0 : -1}
            onClick={() => setTab(each)}
          >
            {t.objects.tabs[each]}
            {each === 'changes' && changes.current.length > 0 ? <span class="count">{changes.current.length}</span> : null}
          </button>
        ))}
      </div>
      <div id="tab-panel" role="tabpanel" aria-labelledby={`tab-${tab}`} class="panel" tabIndex={0}>
        {object === null ? (
          <p class="soft">{t.loading}</p>
        ) : tab === 'changes' ? (
          <Changes changes={changes.current} />
        ) : (
          <Tab {...props} object={object} />
        )}
      </div>
      {dialog === 'delete' ? <DeleteDialog {...props} done={() => setDialog(null)} /> : null}
      {dialog === 'scale' && object !== null ? <ScaleDialog {...props} done={() => setDialog(null)} /> : null}
    </section>
  );
}

/** Arrow keys go from tab to tab: https://www.w3.org/WAI/ARIA/apg/patterns/tabs/ */
function moveTab(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
  if (step === 0) return;
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')];
  const at = all.findIndex((each) => each === document.activeElement);
  const next = all[(at + step + all.length) % all.length];
  next?.click();
  next?.focus();
}

interface Onlooker {
  readonly see: (object: ApiObject) => void;
  readonly gone: () => void;
  readonly tell: (problem: string) => void;
}

async function followObject(
  { client, resource, namespace, name }: DetailProps,
  { see, gone, tell }: Onlooker,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const object = await client.json<ApiObject>(pathOf(resource, namespace, name), { signal });
      see(object);
      tell('');
      if (!resource.verbs.includes('watch')) return;
      const query = new URLSearchParams({
        watch: 'true',
        fieldSelector: `metadata.name=${name}`,
        resourceVersion: object.metadata.resourceVersion ?? '',
      });
      await client.lines(
        `${pathOf(resource, namespace)}?${query.toString()}`,
        (line) => {
          const { type, object: now } = line as { readonly type: string; readonly object: ApiObject };
          if (type === 'DELETED') gone();
          else if (type !== 'ERROR' && type !== 'BOOKMARK') see(now);
        },
        { signal },
      );
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError && error.code === 404) return gone();
      if (error instanceof ApiError && error.code === 403) return tell(error.message);
    }
    await pause(1_000, signal);
  }
}

const Changes = ({ changes }: { readonly changes: readonly Change[] }): VNode =>
  changes.length === 0 ? (
    <p class="soft">{t.objects.noChanges}</p>
  ) : (
    <>
      {changes.map(({ at, lines }) => (
        <div key={at}>
          <h3>{t.objects.changedAt(clock(at))}</h3>
          <Diff lines={lines} />
        </div>
      ))}
    </>
  );

const Yaml = ({ text }: { readonly text: string }): VNode => (
  <>
    {text.split('\n').map((line) => {
      const [, before = '', key, rest = ''] = /^(\s*(?:- )*)([\w./-]+|"[^"]+")(:.*)$/.exec(line) ?? [];
      return key === undefined ? (
        `${line}\n`
      ) : (
        <>
          {before}
          <b>{key}</b>
          {`${rest}\n`}
        </>
      );
    })}
  </>
);

/** The object as text, and an editor for it: every write is preceded by a dry run. */
function YamlTab({ client, resource, namespace, name, object }: TabProps): VNode {
  const [text, setText] = useState<string | null>(null);
  if (text === null)
    return (
      <>
        {resource.verbs.includes('update') ? (
          <p class="toolbar">
            <button type="button" onClick={() => setText(yamlOf(object))}>
              {t.objects.edit}
            </button>
          </p>
        ) : null}
        <pre class="yaml" tabIndex={0} role="region" aria-label={t.objects.tabs.yaml}>
          <Yaml text={yamlOf(object)} />
        </pre>
      </>
    );
  return <Editor path={pathOf(resource, namespace, name)} client={client} object={object} begin={text} end={() => setText(null)} />;
}

interface EditorProps {
  readonly client: ApiClient;
  readonly path: string;
  /** The latest known state. */
  readonly object: ApiObject;
  readonly begin: string;
  readonly end: () => void;
}

type Tried =
  | { readonly outcome: 'difference'; readonly text: string; readonly lines: readonly DiffLine[] }
  | { readonly outcome: 'conflict'; readonly newest: ApiObject; readonly lines: readonly DiffLine[] };

function Editor({ client, path, object, begin, end }: EditorProps): VNode {
  const [text, setText] = useState(begin);
  const [base, setBase] = useState(begin);
  const [tried, setTried] = useState<Tried | null>(null);
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);

  const put = async (dryRun: boolean): Promise<ApiObject | null> => {
    setBusy(true);
    setProblem('');
    try {
      const wanted: unknown = parse(text);
      return await client.json<ApiObject>(`${path}?fieldValidation=Strict${dryRun ? '&dryRun=All' : ''}`, { method: 'PUT', body: wanted });
    } catch (error) {
      if (error instanceof ApiError && error.code === 409) {
        const newest = await client.json<ApiObject>(path).catch(() => object);
        setTried({ outcome: 'conflict', newest, lines: diffLines(base, yamlOf(newest)) });
      } else setProblem(error instanceof ApiError ? error.message : t.objects.notYaml(messageOf(error)));
      return null;
    } finally {
      setBusy(false);
    }
  };
  const attempt = async (): Promise<void> => {
    setTried(null);
    const result = await put(true);
    if (result !== null) setTried({ outcome: 'difference', text, lines: diffLines(base, yamlOf(result)) });
  };
  const write = async (): Promise<void> => {
    if ((await put(false)) !== null) end();
  };
  const keepMine = (newest: ApiObject): void => {
    const version = newest.metadata.resourceVersion ?? '';
    setText(text.replace(/^( +resourceVersion: ).*$/m, `$1"${version}"`));
    setBase(yamlOf(newest));
    setTried(null);
  };
  const startOver = (newest: ApiObject): void => {
    setText(yamlOf(newest));
    setBase(yamlOf(newest));
    setTried(null);
  };
  const isTried = tried?.outcome === 'difference' && tried.text === text;
  const differs = isTried && tried.lines.some(({ sign }) => sign !== ' ');
  return (
    <div class="editor">
      <textarea
        aria-label={t.objects.editor}
        spellcheck={false}
        value={text}
        rows={20}
        onInput={(event) => {
          setText(event.currentTarget.value);
        }}
      />
      <p class="toolbar">
        <button type="button" disabled={busy} onClick={() => void attempt()}>
          {t.objects.dryRun}
        </button>
        <button
          type="button"
          class="main"
          disabled={busy || !differs}
          title={isTried ? undefined : t.objects.tryFirst}
          onClick={() => void write()}
        >
          {t.objects.applyEdit}
        </button>
        <button type="button" class="quiet" onClick={end}>
          {t.cancel}
        </button>
      </p>
      {problem === '' ? null : <Problem>{problem}</Problem>}
      {tried?.outcome === 'conflict' ? (
        <div role="alert" data-conflict="">
          <Problem>
            {t.objects.conflict} {t.objects.conflictAbout}
          </Problem>
          <p class="toolbar">
            <button type="button" onClick={() => keepMine(tried.newest)}>
              {t.objects.keepMine}
            </button>
            <button type="button" onClick={() => startOver(tried.newest)}>
              {t.objects.startOver}
            </button>
          </p>
          <Diff lines={tried.lines} />
        </div>
      ) : isTried ? (
        <>
          <h3>{t.objects.wouldChange}</h3>
          {differs ? <Diff lines={tried.lines} /> : <p class="soft">{t.objects.noDifference}</p>}
        </>
      ) : (
        <p class="soft">{t.objects.tryFirst}</p>
      )}
    </div>
  );
}
