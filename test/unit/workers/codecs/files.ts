import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Kind } from '../../../../workers/codecs/contract.js';

const packageRoot = (from: string): string => (existsSync(join(from, 'package.json')) ? from : packageRoot(dirname(from)));
const root = packageRoot(dirname(fileURLToPath(import.meta.url)));

export interface Pair {
  readonly name: string;
  readonly kind: Kind;
  readonly json: unknown;
  readonly protobuf: Buffer;
}

const roundtrip = join(root, 'test', 'fixtures', 'roundtrip');

/** The same object of each kind in both encodings. */
export const roundtripPairs = (): Pair[] =>
  readdirSync(roundtrip)
    .filter((file) => file.endsWith('.json'))
    .map((file) => {
      const [, group = '', version = '', kind = ''] = /^(.*?)\.?(v\d\w*)\.(\w+)\.json$/.exec(file) ?? [];
      return {
        name: file.slice(0, -5),
        kind: { group: group === 'core' ? '' : group, version, kind },
        json: JSON.parse(readFileSync(join(roundtrip, file), 'utf8')) as unknown,
        protobuf: readFileSync(join(roundtrip, file.replace(/json$/, 'pb'))),
      };
    });

export interface Step {
  readonly do?: string;
  readonly type?: string;
  readonly raw?: string;
  readonly body?: unknown;
  readonly keep?: unknown;
  readonly ignore?: unknown;
  readonly expect?: {
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string | string[]>>;
    readonly body?: Readonly<Record<string, unknown>>;
    readonly events?: readonly { readonly object?: unknown }[];
  };
}

/** All recorded requests with their answers. */
export const recordedSteps = (): { readonly scenario: string; readonly step: Step }[] => {
  const folder = join(root, 'test', 'golden', 'recordings', 'scenarios');
  return readdirSync(folder).flatMap((area) =>
    readdirSync(join(folder, area)).flatMap((file) => {
      const { steps = [] } = JSON.parse(readFileSync(join(folder, area, file), 'utf8')) as { steps?: Step[] };
      return steps.map((step) => ({ scenario: `${area}/${file}`, step }));
    }),
  );
};
