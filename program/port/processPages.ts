import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StatusError } from '../../api/status.js';
import { cborCodec } from '../../workers/codecs/cbor.js';
import { writableOf } from './streams.js';
import type { ExpositionPage } from '../metrics/expositionPage.js';
import type { DebugPages, PageAnswer } from '../profiles/pages.js';
import {
  flagzObject,
  flagzText,
  formOf,
  statuszObject,
  statuszText,
  zpageTypes,
  type Component,
  type ObjectType,
  type ProcessFacts,
  type Zkind,
} from '../zpages.js';
import { jsonForm, yamlForm } from './documentForms.js';
import { writeText } from './errors.js';
import type { Exchange } from './exchange.js';

export interface ProcessPages {
  readonly component: Component;
  readonly debug: DebugPages | null;
  readonly indicators: ExpositionPage;
  readonly flags: Readonly<Record<string, string>> | null;
  readonly facts: (() => ProcessFacts) | null;
  readonly hasCbor?: boolean;
  /** Answers further paths, such as dumps of queues; false for unknown ones. */
  readonly others?: (exchange: Exchange) => Promise<boolean>;
}

const ofProcess = /^\/(?:debug\/|flagz\/?$|statusz\/?$|metrics\/slis\/?$)/;

export async function answerProcessPage(exchange: Exchange, pages: ProcessPages): Promise<boolean> {
  const { path } = exchange.info;
  if (!ofProcess.test(path)) return false;
  if (path.startsWith('/debug/')) return answerDebug(exchange, pages);
  if (path.startsWith('/metrics/')) {
    await answerExposition(exchange, pages.indicators, { mayReset: pages.debug !== null });
    return true;
  }
  const { component, flags, facts, hasCbor = false } = pages;
  if (path.startsWith('/flagz')) {
    if (flags === null) return false;
    answerZpage(exchange, {
      kind: 'Flagz',
      hasCbor,
      text: () => flagzText(component, flags),
      object: (version) => flagzObject(component, flags, version),
    });
    return true;
  }
  if (facts === null) return false;
  answerZpage(exchange, {
    kind: 'Statusz',
    hasCbor,
    text: () => statuszText(facts()),
    object: (version) => statuszObject(facts(), version),
  });
  return true;
}

/** DELETE resets them, where profiles may be taken as well. */
export async function answerExposition(
  exchange: Exchange,
  page: ExpositionPage,
  { mayReset }: { readonly mayReset: boolean },
): Promise<void> {
  if (mayReset && exchange.method === 'DELETE') {
    await page.reset();
    return writeText(exchange, 200, 'metrics reset\n');
  }
  demandGet(exchange);
  const text = await page.metrics();
  exchange.response.setHeader('content-type', page.contentType);
  exchange.response.end(text);
}

function demandGet({ method }: Exchange): void {
  if (method !== 'GET')
    throw new StatusError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
}

interface Zpage {
  readonly kind: Zkind;
  readonly hasCbor: boolean;
  readonly text: () => string;
  readonly object: (version: string) => object;
}

function answerZpage(exchange: Exchange, { kind, hasCbor, text, object }: Zpage): void {
  demandGet(exchange);
  const form = formOf(exchange.request.headers.accept, kind, hasCbor);
  if (form === null) throw new StatusError(406, 'NotAcceptable', `only the following media types are accepted: ${zpageTypes(hasCbor)}`, {});
  if (form === 'text') return writeText(exchange, 200, text());
  const { response } = exchange;
  if (form.isOld)
    response.setHeader('warning', `299 - "This version of the ${kind.toLowerCase()} endpoint is deprecated. Please use a newer version."`);
  response.setHeader('content-type', form.type);
  response.end(encoders[form.type](object(form.version)));
}

const encoders: Readonly<Record<ObjectType, (object: object) => string | Buffer>> = {
  'application/json': jsonForm.document,
  'application/yaml': yamlForm.document,
  'application/cbor': (object) => cborCodec.encode(object),
};

async function answerDebug(exchange: Exchange, { debug, others }: ProcessPages): Promise<boolean> {
  if (others !== undefined && (await others(exchange))) return true;
  const { method, query, signal, info } = exchange;
  const answer = await debug?.answer({ method, path: info.path.replace(/\/+$/, ''), query, signal, body: () => exchange.body() });
  if (answer === undefined || answer === null) return false;
  exchange.response.statusCode = answer.code;
  for (const [name, value] of Object.entries(headersOf(answer))) exchange.response.setHeader(name, value);
  if (answer.body instanceof Readable) await pipeline(answer.body, writableOf(exchange.response)).catch(() => undefined);
  else exchange.response.end(answer.body);
  return true;
}

export const headersOf = ({ type, file }: PageAnswer): Readonly<Record<string, string>> => ({
  'content-type': type,
  'x-content-type-options': 'nosniff',
  ...(file === undefined ? {} : { 'content-disposition': `attachment; filename="${file}"` }),
});
