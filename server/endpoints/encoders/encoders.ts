import { cborEncoder } from './cbor.js';
import type { Encoder } from './encoder.js';
import { jsonEncoder } from './json.js';
import { protobufEncoder } from './protobuf.js';
import { yamlEncoder } from './yaml.js';

/** Sorted by preference where a client accepts anything. */
export type Encoders = readonly [Encoder, ...Encoder[]];

export const allEncoders: Encoders = [jsonEncoder, yamlEncoder, protobufEncoder];

/** Gate `CBORServingAndStorage` adds CBOR for resources. */
export const encodersWith = (cbor: boolean): Encoders => (cbor ? [...allEncoders, cborEncoder] : allEncoders);
