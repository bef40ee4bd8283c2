/** How an operation answers. `stream`: an object, or a stream of events. `any`: whatever the target of a connection says. */
export type Answer = 'object' | 'stream' | 'text' | 'any';

/** Media types of requests and answers, as documents tell them. */
const OBJECTS = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'] as const;
const STREAMS = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'] as const;

export const ANSWER_MEDIA_TYPES: Readonly<Record<Answer, readonly string[]>> = {
  object: OBJECTS,
  stream: [...OBJECTS, ...STREAMS],
  text: ['text/plain'],
  any: ['*/*'],
};

export const STRATEGIC = 'application/strategic-merge-patch+json';
export const PATCH_MEDIA_TYPES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  STRATEGIC,
  'application/apply-patch+yaml',
] as const;

export const ANY_MEDIA_TYPE = '*/*';
