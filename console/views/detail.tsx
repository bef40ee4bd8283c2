import type { ComponentType, RefObject, VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, messageOf } from '../api/client.js';
import { pathOf, type Resource } from '../api/resources.js';
import { pause } from '../api/watch.js';
import { t } from '../english.js';
import { diffLines, type DiffLine } from '../model/diff.js';
import type { ApiObject } from '../model/objects.js';
import { useKeys, useRun } from '../parts/hooks.js';
import { clock, Diff, Problem } from '../parts/words.js';
import { EventsTab, FieldsTab, OwnersTab } from './about.js';
import { DeleteDialog, ScaleDialog } from './actions.js';
import { Editor, yamlOf } from './editor.js';
import { LogsTab } from './logs.js';
import { SummaryPart } from './summary.js';
import { TerminalTab } from './terminal.js';
import type { DetailProps, TabProps } from './viewProps.js';

interface Change {
  readonly at: number;
  readonly lines: readonly DiffLine[];
}
const changesMax = 30;

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

  useReturnedFocus(heading);
  useKeys(({ key, target }) => {
    // Editing users would lose their text, and dialogs handle Escape themselves.
    if (key === 'Escape' && dialog === null && !(target instanceof HTMLTextAreaElement)) close();
  });

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
      const gone = (): void => {
        setDeleted(true);
        // The watch may precede the response to the dialog's own request.
        setDialog(null);
      };
      void followObject(props, { see, gone, tell: setProblem }, signal);
    },
    [client, resource, namespace, name],
  );

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
        <Actions {...props} object={object} ask={setDialog} report={setProblem} />
      </header>
      {deleted ? <Problem>{t.objects.deleted}</Problem> : null}
      {problem === '' ? null : <Problem>{problem}</Problem>}
      <TabList name={name} shown={shown.map(([each]) => each)} tab={tab} setTab={setTab} changes={changes.current.length} />
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

/** Focuses the heading, and returns the focus at the end. */
function useReturnedFocus(heading: RefObject<HTMLHeadingElement | null>): void {
  useEffect(() => {
    const before = document.activeElement;
    heading.current?.focus();
    return () => (before instanceof HTMLElement && before.isConnected ? before.focus() : undefined);
  }, []);
}

interface ActionsProps extends DetailProps {
  readonly object: ApiObject | null;
  readonly ask: (dialog: 'delete' | 'scale') => void;
  readonly report: (problem: string) => void;
}

function Actions({ client, resource, namespace, name, close, object, ask, report }: ActionsProps): VNode {
  const can = (verb: string): boolean => resource.verbs.includes(verb);
  const hasTemplate = typeof (object?.['spec'] as { readonly template?: unknown } | undefined)?.template === 'object';
  const restart = async (): Promise<void> => {
    const body = { spec: { template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': new Date().toISOString() } } } } };
    await client
      .json(pathOf(resource, namespace, name), { method: 'PATCH', body, contentType: 'application/strategic-merge-patch+json' })
      .then(
        () => report(''),
        (error: unknown) => report(messageOf(error)),
      );
  };
  return (
    <div class="actions">
      {resource.subresources.includes('scale') && object !== null ? (
        <button type="button" onClick={() => ask('scale')}>
          {t.objects.scale}
        </button>
      ) : null}
      {hasTemplate && can('patch') && resource.group === 'apps' ? (
        <button type="button" title={t.objects.restartAbout} onClick={() => void restart()}>
          {t.objects.restart}
        </button>
      ) : null}
      {can('delete') ? (
        <button type="button" class="danger" onClick={() => ask('delete')}>
          {t.objects.delete}
        </button>
      ) : null}
      <button type="button" class="quiet" aria-label={t.close} onClick={close}>
        ✕
      </button>
    </div>
  );
}

interface TabListProps {
  readonly name: string;
  readonly shown: readonly (keyof typeof t.objects.tabs)[];
  readonly tab: keyof typeof t.objects.tabs;
  readonly setTab: (tab: keyof typeof t.objects.tabs) => void;
  readonly changes: number;
}

const TabList = ({ name, shown, tab, setTab, changes }: TabListProps): VNode => (
  <div class="tabs" role="tablist" aria-label={t.objects.tabsOf(name)} onKeyDown={(event) => moveTab(event)}>
    {shown.map((each) => (
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
        {each === 'changes' && changes > 0 ? <span class="count">{changes}</span> : null}
      </button>
    ))}
  </div>
);

/** Arrow keys switch tabs: https://www.w3.org/WAI/ARIA/apg/patterns/tabs/ */
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

/** The object as text, with an editor: a dry run precedes every write. */
function YamlTab({ client, resource, resources, namespace, name, object }: TabProps): VNode {
  const [text, setText] = useState<string | null>(null);
  if (text === null)
    return (
      <>
        <SummaryPart object={object} namespace={namespace} resources={resources} />
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
