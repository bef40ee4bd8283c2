import type { VNode } from 'preact';
import { t } from '../english.js';
import { phasesOf } from '../model/latency.js';
import type { SeenRequest } from '../model/requests.js';
import { seconds } from '../parts/words.js';

/** Shows where the time of one request went. */
export function latencyOf(request: SeenRequest): VNode | null {
  const phases = phasesOf(request);
  if (phases.length === 0) return null;
  const longest = Math.max(...phases.map(({ ms }) => ms));
  return (
    <>
      <h2>{t.requests.phases}</h2>
      <ol class="ranks phases" aria-label={t.requests.phases}>
        {phases.map(({ part, ms }) => (
          <li key={part} data-part={part}>
            <span>{t.requests.phase[part]}</span>
            <b>{seconds(ms / 1000)}</b>
            <span class="bar-of" style={{ width: `${(100 * ms) / longest}%` }} />
          </li>
        ))}
      </ol>
    </>
  );
}
