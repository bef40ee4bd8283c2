import { prettyJsonForm } from '../../../program/port/documentForms.js';
import type { Encoder } from './encoder.js';
import { jsonEncoder } from './json.js';
import { laidOut } from '../../../program/port/layout.js';

const whole = (json: Buffer): Buffer => Buffer.concat([...laidOut([json])]);

/** Only whole responses are indented, not items and watch events. */
export const prettyJsonEncoder: Encoder = {
  ...jsonEncoder,
  object: (type, item) => whole(jsonEncoder.object(type, item)),
  list: (...args) => ({ parts: laidOut(jsonEncoder.list(...args).parts), size: null }),
  table: (...args) => ({ parts: laidOut(jsonEncoder.table(...args).parts), size: null }),
  ...prettyJsonForm,
};
