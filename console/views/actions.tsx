import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { messageOf } from '../api/client.js';
import { pathOf } from '../api/resources.js';
import { t } from '../english.js';
import type { ApiObject } from '../model/objects.js';
import { useModal } from '../parts/hooks.js';
import { Problem } from '../parts/words.js';
import type { DetailProps } from './viewProps.js';

interface ActionProps extends DetailProps {
  readonly done: () => void;
}

/** A modal dialog; the browser keeps the focus in it. */
export function Dialog({
  label,
  submit,
  danger,
  act,
  done,
  children,
}: {
  readonly label: string;
  readonly submit: string;
  readonly danger?: boolean;
  readonly act: () => Promise<unknown>;
  readonly done: () => void;
  readonly children: ComponentChildren;
}): VNode {
  const dialog = useModal();
  const [problem, setProblem] = useState('');
  return (
    <dialog ref={dialog} aria-label={label} onClose={done}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          act().then(done, (error: unknown) => setProblem(messageOf(error)));
        }}
      >
        <h2>{label}</h2>
        {children}
        {problem === '' ? null : <Problem>{problem}</Problem>}
        <p class="toolbar">
          <button type="submit" class={danger === true ? 'danger' : 'main'}>
            {submit}
          </button>
          <button type="button" class="quiet" onClick={done}>
            {t.cancel}
          </button>
        </p>
      </form>
    </dialog>
  );
}

const propagations = ['Background', 'Foreground', 'Orphan'] as const;

export interface DeleteOptions {
  readonly apiVersion: 'v1';
  readonly kind: 'DeleteOptions';
  readonly propagationPolicy: string;
}

interface DeletionProps {
  readonly label: string;
  readonly act: (options: DeleteOptions) => Promise<unknown>;
  readonly done: () => void;
}

/** Asks what becomes of dependents. */
export function DeletionDialog({ label, act, done }: DeletionProps): VNode {
  const choice = useRef<HTMLSelectElement>(null);
  const options = (): DeleteOptions => ({
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    propagationPolicy: choice.current?.value ?? 'Background',
  });
  return (
    <Dialog label={label} submit={t.objects.delete} danger act={() => act(options())} done={done}>
      <label>
        {t.objects.propagation}
        <select ref={choice}>
          {propagations.map((each) => (
            <option value={each}>{t.objects.propagations[each]}</option>
          ))}
        </select>
      </label>
    </Dialog>
  );
}

export const DeleteDialog = ({ client, resource, namespace, name, done }: ActionProps): VNode => (
  <DeletionDialog
    label={t.objects.deleteAbout(name)}
    act={(body) => client.json(pathOf(resource, namespace, name), { method: 'DELETE', body })}
    done={done}
  />
);

export function ScaleDialog({ client, resource, namespace, name, done }: ActionProps): VNode {
  const field = useRef<HTMLInputElement>(null);
  const path = `${pathOf(resource, namespace, name)}/scale`;
  const [now, setNow] = useState<number | null | 'reading'>('reading');
  useEffect(() => {
    client.json<ApiObject & { readonly spec?: { readonly replicas?: number } }>(path).then(
      ({ spec }) => setNow(spec?.replicas ?? 0),
      () => setNow(null),
    );
  }, []);
  const act = (): Promise<unknown> =>
    client.json(path, {
      method: 'PATCH',
      body: { spec: { replicas: Number(field.current?.value) } },
      contentType: 'application/merge-patch+json',
    });
  return (
    <Dialog label={t.objects.scale} submit={t.objects.scale} act={act} done={done}>
      <label>
        {t.objects.scaleTo}
        {now === 'reading' ? (
          t.loading
        ) : (
          <input ref={field} type="number" min={0} required defaultValue={now === null ? '' : String(now)} />
        )}
      </label>
    </Dialog>
  );
}
