import { createHash } from 'node:crypto';
import { uidOf } from '../../api/meta/object.js';
import type { Container, Pod } from '../../api/types/core/v1.js';

/** The simulated behaviour of a pod's program. Pure. */
export interface Behaviour {
  readonly readyAfterMs: number;
  /** Time until it ends by itself; null for never. */
  readonly runMs: number | null;
  readonly exitCode: number;
  readonly stopMs: number;
  /** Time from binding to the start of the containers. */
  readonly startMs: number;
  /** Patterns of images that no registry has. */
  readonly missingImages: readonly string[];
  /** The first back-off, which doubles up to thirty times as much; null for none. */
  readonly backOffMs: number | null;
  /** These times count from the start of the containers; null for never. */
  readonly oomAfterMs: number | null;
  readonly livenessFailsAfterMs: number | null;
  readonly readinessFailsAfterMs: number | null;
  /** Counts from the start of the pod; null for never. */
  readonly evictAfterMs: number | null;
}

interface Program extends Container {
  readonly command?: readonly string[];
  readonly args?: readonly string[];
}

const prefix = 'fake-node/';
const defaultRunMs = 1_000;
const defaultStopMs = 200;

/** Decides by annotations, then the first container's command line or image, then the restart policy. */
export function behaviourOf(pod: Pod): Behaviour {
  const said = (name: string): string | undefined => pod.metadata.annotations?.[prefix + name];
  const line = commandLine(pod);
  const endless = (pod.spec?.restartPolicy ?? 'Always') === 'Always' || pauses(pod, line);
  const runs = said('run-seconds') ?? slept(line);
  return {
    readyAfterMs: milliseconds(said('ready-after-seconds')) ?? 0,
    runMs: runs === undefined ? (endless ? null : defaultRunMs) : milliseconds(runs),
    exitCode: code(said('exit-code') ?? exited(line)),
    stopMs: milliseconds(said('stop-seconds')) ?? defaultStopMs,
    startMs: startTime(said('start-seconds'), uidOf(pod)),
    missingImages: (said('missing-images') ?? '').split(/[\s,]+/).filter((pattern) => pattern !== ''),
    backOffMs: milliseconds(said('back-off-seconds')),
    oomAfterMs: milliseconds(said('oom-after-seconds')),
    livenessFailsAfterMs: milliseconds(said('liveness-fails-after-seconds')),
    readinessFailsAfterMs: milliseconds(said('readiness-fails-after-seconds')),
    evictAfterMs: milliseconds(said('evict-after-seconds')),
  };
}

function commandLine({ spec }: Pod): string {
  const { command = [], args = [] }: Program = spec?.containers?.[0] ?? { name: '' };
  return [...command, ...args].join(' ');
}

const pauses = ({ spec }: Pod, line: string): boolean => line === '' && /(?:^|\/)pause(?:[:@]|$)/.test(spec?.containers?.[0]?.image ?? '');

function slept(line: string): string | undefined {
  const words = [...line.matchAll(/\bsleep\s+(infinity|\d+(?:\.\d+)?)\b/g)].map((match) => match[1] ?? '');
  if (words.includes('infinity')) return 'forever';
  return words.length === 0 ? undefined : String(words.reduce((sum, word) => sum + Number(word), 0));
}

const exited = (line: string): string | undefined =>
  /\bexit\s+(\d+)\b/.exec(line)?.[1] ?? (/(?:^|[\s;/])false$/.test(line) ? '1' : undefined);

/** Parses `2`, `1-5` (uniform) or `2~0.5` (normal: mean and deviation), in seconds. The uid seeds the random choice, so a pod always gets the same time. */
function startTime(text: string | undefined, uid: string): number {
  const [, first = '', kind, second = ''] = /^(\d+(?:\.\d+)?)(?:([-~])(\d+(?:\.\d+)?))?$/.exec(text ?? '') ?? [];
  if (first === '') return 0;
  const from = Number(first) * 1_000;
  if (kind === undefined) return from;
  const [u, v] = chances(uid);
  if (kind === '-') return from + u * Math.max(0, Number(second) * 1_000 - from);
  return Math.max(0, from + Number(second) * 1_000 * Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * v));
}

/** Returns two numbers in (0, 1], by hash of a text. */
function chances(text: string): readonly [number, number] {
  const hash = createHash('sha256').update(text).digest();
  return [(hash.readUInt32BE(0) + 1) / 2 ** 32, (hash.readUInt32BE(4) + 1) / 2 ** 32];
}

/** Returns null for other text than seconds, such as `forever`. */
const milliseconds = (seconds: string | undefined): number | null =>
  seconds !== undefined && /^\d+(\.\d+)?$/.test(seconds) ? Number(seconds) * 1_000 : null;
const code = (text: string | undefined): number => (text !== undefined && /^\d{1,3}$/.test(text) ? Math.min(Number(text), 255) : 0);
