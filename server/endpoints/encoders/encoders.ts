import { cborEncoder } from './cbor.js';
import type { Encoder } from './encoder.js';
import { jsonEncoder } from './json.js';
import { protobufEncoder } from './protobuf.js';
import { yamlEncoder } from './yaml.js';

/** In order of preference where a client takes anything. */
export type Encoders = readonly [Encoder, ...Encoder[]];

/** What every server speaks. */
export const allEncoders: Encoders = [jsonEncoder, yamlEncoder, protobufEncoder];

/** What a server speaks about resources: gate `CBORServingAndStorage` adds CBOR. */
export const encodersWith = (cbor: boolean): Encoders => (cbor ? [...allEncoders, cborEncoder] : allEncoders);
