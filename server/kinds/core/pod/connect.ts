import {
  forbidden,
  invalid,
  nonNegative,
  notSupported,
  objectsIn,
  Path,
  specOf,
  textAt,
  type ApiObject,
  type FieldError,
} from '../../language.js';
import { badRequest } from '../../../../api/status.js';

const namesIn = (pod: ApiObject, list: string): string[] => objectsIn(specOf(pod), list).map((container) => textAt(container, 'name'));

/** A pod without a requested name must have one container. Throws 400. */
export function chosenContainer(pod: ApiObject, wanted: string): string {
  const podName = pod.metadata.name ?? '';
  const [containers, initial, ephemeral] = [
    namesIn(pod, 'containers'),
    namesIn(pod, 'initContainers'),
    namesIn(pod, 'ephemeralContainers'),
  ];
  if (wanted !== '') {
    if ([...containers, ...initial, ...ephemeral].includes(wanted)) return wanted;
    throw badRequest(`container ${wanted} is not valid for pod ${podName}`);
  }
  const [only, ...others] = containers;
  if (only !== undefined && others.length === 0) return only;
  const alternatives = initial.length === 0 ? '' : ` or one of the init containers: [${initial.join(' ')}]`;
  throw badRequest(`a container name must be specified for pod ${podName}, choose one of: [${containers.join(' ')}]${alternatives}`);
}

export interface LogQuery {
  readonly tailLines: number | null;
  readonly limitBytes: number | null;
  readonly sinceSeconds: number | null;
  readonly sinceTime: string | null;
  readonly stream: string | null;
}

const logStreams = ['All', 'Stderr', 'Stdout'];

/** `maySplit`: a single stream may be requested (feature PodLogsQuerySplitStreams). */
function validateStream({ stream, tailLines }: LogQuery, maySplit: boolean): FieldError[] {
  const path = Path.of('stream');
  if (stream === null) return [];
  if (!maySplit) return [forbidden(path, 'may not be specified')];
  return [
    ...(logStreams.includes(stream) ? [] : [notSupported(path, stream, logStreams)]),
    ...(stream !== 'All' && tailLines !== null
      ? [{ ...forbidden(Path.root, '`tailLines` and specific `stream` are mutually exclusive for now'), path: '[]' }]
      : []),
  ];
}

export function validateLogQuery(log: LogQuery, maySplit: boolean): FieldError[] {
  const { tailLines, limitBytes, sinceSeconds, sinceTime } = log;
  const both = sinceSeconds !== null && sinceTime !== null;
  return [
    ...(tailLines === null ? [] : nonNegative(tailLines, Path.of('tailLines'))),
    ...(limitBytes !== null && limitBytes < 1 ? [invalid(Path.of('limitBytes'), limitBytes, 'must be greater than 0')] : []),
    ...(both ? [{ ...forbidden(Path.root, 'at most one of `sinceTime` or `sinceSeconds` may be specified'), path: '[]' }] : []),
    ...(!both && sinceSeconds !== null && sinceSeconds < 1
      ? [invalid(Path.of('sinceSeconds'), sinceSeconds, 'must be greater than 0')]
      : []),
    ...validateStream(log, maySplit),
  ];
}

/** Parses `name`, `name:port`, `scheme:name:port` of a proxy path; null for anything else. */
export function schemeNamePort(text: string): { readonly scheme: string; readonly name: string; readonly port: string } | null {
  const parts = text.split(':');
  const [scheme, name, port] = parts.length === 1 ? ['', parts[0], ''] : parts.length === 2 ? ['', parts[0], parts[1]] : parts;
  if (parts.length > 3 || name === undefined || name === '' || !['', 'http', 'https'].includes(scheme ?? '')) return null;
  return { scheme: scheme ?? '', name, port: port ?? '' };
}
