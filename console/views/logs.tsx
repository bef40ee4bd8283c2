import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { messageOf } from '../api/client.js';
import { pathOf } from '../api/resources.js';
import { t } from '../english.js';
import type { ApiObject } from '../model/objects.js';
import { useFrames, useRun } from '../parts/hooks.js';
import { Problem } from '../parts/words.js';
import type { TabProps } from './viewProps.js';

const charactersMax = 400_000;
const tailLines = '1000';

export function containersOf(pod: ApiObject): readonly string[] {
  const spec = pod['spec'] as
    | { readonly containers?: readonly { readonly name: string }[]; readonly initContainers?: readonly { readonly name: string }[] }
    | undefined;
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].map(({ name }) => name);
}

export const ContainerChoice = ({
  pod,
  value,
  choose,
}: {
  readonly pod: ApiObject;
  readonly value: string;
  readonly choose: (name: string) => void;
}): VNode => (
  <label>
    {t.objects.container}
    <select value={value} onChange={(event) => choose(event.currentTarget.value)}>
      {containersOf(pod).map((name) => (
        <option value={name}>{name}</option>
      ))}
    </select>
  </label>
);

/** A container's output as it comes, without the oldest part when long. */
export function LogsTab({ client, resource, namespace, name, object }: TabProps): VNode {
  const [container, setContainer] = useState(containersOf(object)[0] ?? '');
  const [follow, setFollow] = useState(true);
  const [problem, setProblem] = useState('');
  const text = useRef('');
  const place = useRef<HTMLPreElement>(null);
  const draw = useFrames();
  useRun(
    (signal) => {
      text.current = '';
      setProblem('');
      const query = new URLSearchParams({ container, tailLines, ...(follow ? { follow: 'true' } : {}) });
      const take = (chunk: string): void => {
        text.current = (text.current + chunk).slice(-charactersMax);
        draw();
      };
      client
        .chunks(`${pathOf(resource, namespace, name)}/log?${query.toString()}`, take, { accept: '*/*', signal })
        .catch((error: unknown) => {
          if (!signal.aborted) setProblem(`${t.objects.noLogs} ${messageOf(error)}`);
        });
    },
    [container, follow],
  );
  useEffect(() => {
    if (follow) place.current?.scrollTo(0, place.current.scrollHeight);
  });
  return (
    <>
      <p class="toolbar">
        <ContainerChoice pod={object} value={container} choose={setContainer} />
        <label class="check">
          <input type="checkbox" checked={follow} onChange={(event) => setFollow(event.currentTarget.checked)} />
          {t.objects.follow}
        </label>
      </p>
      {problem === '' ? null : <Problem>{problem}</Problem>}
      <pre class="log" ref={place} tabIndex={0} role="log" aria-label={t.objects.logText}>
        {text.current}
      </pre>
    </>
  );
}
