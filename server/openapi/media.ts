/** The form of a response. `stream`: an object, or a stream of events. `any`: whatever the target of a connection returns. */
export type Answer = 'object' | 'stream' | 'text' | 'any';

/** Media types of requests and responses in documents. */
const objects = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'] as const;
const streams = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'] as const;
const strategic = 'application/strategic-merge-patch+json';
const patches = ['application/json-patch+json', 'application/merge-patch+json', strategic, 'application/apply-patch+yaml'] as const;
const anything = '*/*';

export interface Media {
  readonly answers: Readonly<Record<Answer, readonly string[]>>;
  readonly bodies: readonly string[];
  readonly patches: readonly string[];
}

export const builtInMedia: Media = {
  answers: { object: objects, stream: [...objects, ...streams], text: ['text/plain', ...objects], any: [anything] },
  bodies: [anything],
  patches,
};

const readable = ['application/json', 'application/yaml'] as const;

/** Custom resources have no known merge keys. */
export const definedMedia: Media = {
  answers: { object: readable, stream: readable, text: ['text/plain'], any: [anything] },
  bodies: readable,
  patches: patches.filter((each) => each !== strategic),
};
