import { sendShared } from '../endpoints/answers.js';
import type { RequestContext } from '../endpoints/context.js';
import { contentHash, notModified, redirected } from '../endpoints/conditional.js';
import { indexedCatalogue, type Catalogue } from '../registry/resources.js';
import type { BuiltDocument, BuiltDocuments, Encoding } from './build.js';
import { createBuilder } from './builder.js';
import { Library, type LibraryOptions } from './library.js';
import { PlainForms } from './plainForms.js';
import type { RemoteDocument } from './remote/contract.js';

export interface OpenApi {
  /** Answers requests for OpenAPI documents; false for other paths. */
  readonly documents: (context: RequestContext) => Promise<boolean>;
  close(): Promise<void>;
}

export interface OpenApiOptions extends Partial<Pick<LibraryOptions, 'defined' | 'definitions' | 'remote' | 'telling'>> {
  readonly builtIn: Catalogue;
}

/** Describes the API in OpenAPI versions 2 and 3, on first request. */
export function createOpenApi({
  builtIn,
  defined = () => nothing,
  definitions = () => [],
  remote = () => nobody,
  telling,
}: OpenApiOptions): OpenApi {
  const builder = createBuilder();
  const library = new Library({ builtIn, defined, definitions, remote, telling, builder });
  const sendIndex = indexSender(library, defined, remote);

  const documentOf = (version: 2 | 3, path: string, encoding: Encoding): Promise<BuiltDocument | 'unavailable' | null> => {
    if (version === 2) return library.everything(encoding);
    const other = remote().find((each) => each.path === path && each.hash !== null);
    if (other === undefined) return library.document(path, encoding);
    return other.document(encoding).catch(() => 'unavailable' as const);
  };

  const sendDocument = async (context: RequestContext, version: 2 | 3, path: string): Promise<boolean> => {
    const encoding = wantedEncoding(context, version);
    const document = await documentOf(version, path, encoding ?? 'json');
    if (document === 'unavailable') return sent(context, plain, Buffer.from(unavailable), 503);
    if (document === null) return false;
    if (encoding === null) return sent(context, plain, Buffer.alloc(0), 406);
    if (version === 3 && redirected(context, document.hash, urlOf(path, document.hash))) return true;
    await sendBuilt(context, mediaTypes[version][encoding], document);
    return true;
  };

  return {
    documents: async (context) => {
      const [, root, version, ...rest] = context.info.path.replace(/\/$/, '').split('/');
      if (root !== 'openapi') return false;
      if (version === 'v2' && rest.length === 0) return sendDocument(context, 2, '');
      if (version !== 'v3') return false;
      return rest.length === 0 ? sendIndex(context) : sendDocument(context, 3, rest.join('/'));
    },
    close: () => builder.close(),
  };
}

function indexSender(
  library: Library,
  defined: () => Catalogue,
  remote: () => readonly RemoteDocument[],
): (context: RequestContext) => Promise<true> {
  const indexes = new WeakMap<Catalogue, { readonly of: readonly RemoteDocument[]; readonly bytes: Buffer }>();
  return async (context) => {
    const [present, others] = [defined(), remote()];
    let index = indexes.get(present);
    if (index?.of !== others) {
      index = { of: others, bytes: indexOf(await library.all('json'), others) };
      indexes.set(present, index);
    }
    // The reference has no content type for the index.
    return notModified(context, contentHash(index.bytes)) || sent(context, plain, index.bytes);
  };
}

const nothing = indexedCatalogue([]);
const nobody: readonly RemoteDocument[] = [];
const plain = 'text/plain; charset=utf-8';
const unavailable = 'the program that serves this version cannot be asked for its document now\n';

const urlOf = (path: string, hash: string): string => `/openapi/v3/${path}?hash=${hash}`;

/** Hashes in addresses let clients cache documents until they change. */
function indexOf(documents: BuiltDocuments, others: readonly RemoteDocument[]): Buffer {
  const hashes = new Map([
    ...[...documents].map(([path, { hash }]) => [path, hash] as const),
    ...others.flatMap(({ path, hash }) => (hash === null ? [] : [[path, hash] as const])),
  ]);
  const entries = [...hashes].sort(([a], [b]) => (a < b ? -1 : 1));
  return Buffer.from(
    JSON.stringify({ paths: Object.fromEntries(entries.map(([path, hash]) => [path, { serverRelativeURL: urlOf(path, hash) }])) }),
  );
}

const mediaTypes: Readonly<Record<2 | 3, Readonly<Record<Encoding, string>>>> = {
  2: { json: 'application/json', protobuf: 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf' },
  3: { json: 'application/json', protobuf: 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf' },
};

/** Older clients write an "@" that media types must not have. */
const spelled = (mediaType: string): string => mediaType.replace(/@(v1\.0\+protobuf)$/, '.$1');

/** The preferred encoding; null when the client accepts neither. */
function wantedEncoding({ request }: RequestContext, version: 2 | 3): Encoding | null {
  const { json, protobuf } = mediaTypes[version];
  const encodings: Readonly<Record<string, Encoding>> = { [json]: 'json', [protobuf]: 'protobuf', '*/*': 'json', 'application/*': 'json' };
  const accept = request.headers.accept ?? '';
  const entries = (accept === '' ? '*/*' : accept).split(',').map((entry) => {
    const [mediaType = '', ...parameters] = entry.split(';').map((part) => part.trim());
    return { mediaType: spelled(mediaType), quality: Number(parameters.find((each) => each.startsWith('q='))?.slice(2) ?? 1) || 0 };
  });
  return (
    entries
      .sort((a, b) => b.quality - a.quality)
      .map(({ mediaType }) => encodings[mediaType])
      .find((encoding) => encoding !== undefined) ?? null
  );
}

async function sendBuilt(context: RequestContext, mediaType: string, document: BuiltDocument): Promise<void> {
  const { hash, gzip } = document;
  const { request, response } = context;
  response.setHeader('vary', 'Accept, Accept-Encoding');
  if (notModified(context, hash)) return;
  if (/\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(String(request.headers['accept-encoding'] ?? ''))) {
    response.setHeader('content-encoding', 'gzip');
    sent(context, mediaType, Buffer.from(gzip.buffer, gzip.byteOffset, gzip.byteLength));
  } else sent(context, mediaType, await plainForms.of(document));
}

const plainForms = new PlainForms();

const sent = (context: RequestContext, mediaType: string, bytes: Buffer, code = 200): true => {
  sendShared(context, code, mediaType, bytes);
  return true;
};
