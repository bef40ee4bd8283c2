import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { parse, stringify } from 'yaml';
import { ApiError, messageOf, type ApiClient } from '../api/client.js';
import { t } from '../english.js';
import { diffLines, type DiffLine } from '../model/diff.js';
import { withoutManagedFields, type ApiObject } from '../model/objects.js';
import { Diff, Problem } from '../parts/words.js';

export const yamlOf = (object: ApiObject): string =>
  stringify(withoutManagedFields(object), { lineWidth: 0, aliasDuplicateObjects: false });

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

type Draft = ReturnType<typeof useDraft>;

function useDraft({ client, path, object, begin, end }: EditorProps) {
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
  return { text, setText, tried, problem, busy, attempt, write, keepMine, startOver };
}

/** An editor for the object: a dry run precedes every write. */
export function Editor({ client, path, object, begin, end }: EditorProps): VNode {
  const draft = useDraft({ client, path, object, begin, end });
  const { text, tried, problem, busy } = draft;
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
          draft.setText(event.currentTarget.value);
        }}
      />
      <p class="toolbar">
        <button type="button" disabled={busy} onClick={() => void draft.attempt()}>
          {t.objects.dryRun}
        </button>
        <button
          type="button"
          class="main"
          disabled={busy || !differs}
          title={isTried ? undefined : t.objects.tryFirst}
          onClick={() => void draft.write()}
        >
          {t.objects.applyEdit}
        </button>
        <button type="button" class="quiet" onClick={end}>
          {t.cancel}
        </button>
      </p>
      {problem === '' ? null : <Problem>{problem}</Problem>}
      <Outcome draft={draft} isTried={isTried} differs={differs} />
    </div>
  );
}

interface OutcomeProps {
  readonly draft: Draft;
  readonly isTried: boolean;
  readonly differs: boolean;
}

/** Shows the result of the last attempt: a conflict, the difference that a write would make, or nothing yet. */
function Outcome({ draft, isTried, differs }: OutcomeProps): VNode {
  const { tried } = draft;
  if (tried?.outcome === 'conflict') return <Conflict draft={draft} tried={tried} />;
  if (tried === null || !isTried) return <p class="soft">{t.objects.tryFirst}</p>;
  return (
    <>
      <h3>{t.objects.wouldChange}</h3>
      {differs ? <Diff lines={tried.lines} /> : <p class="soft">{t.objects.noDifference}</p>}
    </>
  );
}

const Conflict = ({ draft, tried }: { readonly draft: Draft; readonly tried: Extract<Tried, { outcome: 'conflict' }> }): VNode => (
  <div role="alert" data-conflict="">
    <Problem>
      {t.objects.conflict} {t.objects.conflictAbout}
    </Problem>
    <p class="toolbar">
      <button type="button" onClick={() => draft.keepMine(tried.newest)}>
        {t.objects.keepMine}
      </button>
      <button type="button" onClick={() => draft.startOver(tried.newest)}>
        {t.objects.startOver}
      </button>
    </p>
    <Diff lines={tried.lines} />
  </div>
);
