import type { Encoder } from './encoder.js';
import { jsonEncoder } from './json.js';
import { protobufEncoder } from './protobuf.js';
import { yamlEncoder } from './yaml.js';

/** In order of preference where a client takes anything. */
export const ENCODERS: readonly [Encoder, ...Encoder[]] = [jsonEncoder, yamlEncoder, protobufEncoder];
