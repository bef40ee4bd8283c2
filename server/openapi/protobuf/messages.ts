/**
 * The Protobuf form of OpenAPI documents, as the gnostic project defines it and Kubernetes clients read it: which number each member of a
 * document has. Only messages that our documents use are here. Notation, entries apart by `;`:
 *
 *     NUMBER MEMBER RULE
 *
 * RULE   string boolean   a scalar
 *        any              any JSON value, kept as text
 *        NAME             a message of this table
 *        []RULE           repeated
 *        {N}RULE          a message whose field N repeats pairs of name and value: what is an object with free names in JSON
 *        x-               all members that begin with `x-`, as pairs of name and any value
 * MEMBER `.`              the value itself: the message wraps what in JSON is no object
 *
 * A message with several forms names the choice in `CHOICES`.
 */
export type MessageTable = Readonly<Record<string, string>>;

/** Selects the field number and rule of a value. */
export type Choice = (value: unknown) => readonly [number: number, rule: string];
export interface Messages {
  readonly table: MessageTable;
  readonly choices: Readonly<Record<string, Choice>>;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;
const orReference =
  (rule: string, reference: string): Choice =>
  (value) =>
    isObject(value) && '$ref' in value ? [2, reference] : [1, rule];
const schemaOrBoolean =
  (rule: string): Choice =>
  (value) =>
    typeof value === 'boolean' ? [2, 'boolean'] : [1, rule];

const places: Readonly<Record<string, readonly [number, string]>> = {
  header: [1, 'HeaderParameter'],
  formData: [2, 'FormParameter'],
  query: [3, 'QueryParameter'],
  path: [4, 'PathParameter'],
};
const plainParameter: Choice = (value) => places[isObject(value) ? String(value['in']) : ''] ?? unknownPlace();
const unknownPlace = (): never => {
  throw new Error('a parameter is in no place where one may be');
};

export const openapiV2: Messages = {
  table: {
    Document:
      '1 swagger string;2 info Info;5 schemes []string;6 consumes []string;7 produces []string;8 paths {2}PathItem;9 definitions {1}Schema;12 security []{1}Strings;13 securityDefinitions {1}Security',
    Info: '1 title string;2 version string;3 description string',
    PathItem:
      '2 get Operation;3 put Operation;4 post Operation;5 delete Operation;6 options Operation;7 head Operation;8 patch Operation;9 parameters []ParameterOrReference;10 * x-',
    Operation:
      '1 tags []string;3 description string;5 operationId string;6 produces []string;7 consumes []string;8 parameters []ParameterOrReference;9 responses {1}ResponseOrReference;10 schemes []string;11 deprecated boolean;13 * x-',
    BodyParameter: '1 description string;2 name string;3 in string;4 required boolean;5 schema Schema;6 * x-',
    QueryParameter:
      '1 required boolean;2 in string;3 description string;4 name string;6 type string;7 format string;20 uniqueItems boolean;23 * x-',
    HeaderParameter:
      '1 required boolean;2 in string;3 description string;4 name string;5 type string;6 format string;19 uniqueItems boolean;22 * x-',
    FormParameter:
      '1 required boolean;2 in string;3 description string;4 name string;6 type string;7 format string;20 uniqueItems boolean;23 * x-',
    PathParameter:
      '1 required boolean;2 in string;3 description string;4 name string;5 type string;6 format string;19 uniqueItems boolean;22 * x-',
    Response: '1 description string;2 schema SchemaItem;5 * x-',
    SchemaItem: '1 . Schema',
    Schema:
      '1 $ref string;2 format string;4 description string;5 default any;19 required []string;20 enum []any;21 additionalProperties SchemaOrBoolean;22 type Strings;23 items Items;24 allOf []Schema;25 properties {1}Schema;31 * x-',
    Strings: '1 . []string',
    Items: '1 . []Schema',
    ApiKey: '1 type string;2 name string;3 in string;4 description string',
    Reference: '1 $ref string;2 description string',
  },
  choices: {
    ParameterOrReference: orReference('Parameter', 'Reference'),
    Parameter: (value) => (isObject(value) && value['in'] === 'body' ? [1, 'BodyParameter'] : [2, 'PlainParameter']),
    PlainParameter: plainParameter,
    ResponseOrReference: orReference('Response', 'Reference'),
    SchemaOrBoolean: schemaOrBoolean('Schema'),
    Security: () => [2, 'ApiKey'],
  },
};

export const openapiV3: Messages = {
  table: {
    Document: '1 openapi string;2 info Info;4 paths {1}PathItem;5 components Components',
    Info: '1 title string;2 description string;6 version string',
    Components: '1 schemas {1}SchemaOrReference;7 securitySchemes {1}SecurityOrReference;10 * x-',
    PathItem:
      '4 get Operation;5 put Operation;6 post Operation;7 delete Operation;8 options Operation;9 head Operation;10 patch Operation;13 parameters []ParameterOrReference;14 * x-',
    Operation:
      '1 tags []string;3 description string;5 operationId string;6 parameters []ParameterOrReference;7 requestBody BodyOrReference;8 responses {2}ResponseOrReference;10 deprecated boolean;13 * x-',
    Parameter: '1 name string;2 in string;3 description string;4 required boolean;10 schema SchemaOrReference;14 * x-',
    Body: '1 description string;2 content {1}MediaType;3 required boolean;4 * x-',
    MediaType: '1 schema SchemaOrReference;5 * x-',
    Response: '1 description string;3 content {1}MediaType;5 * x-',
    Schema:
      '20 uniqueItems boolean;23 required []string;24 enum []any;25 type string;26 allOf []SchemaOrReference;27 oneOf []SchemaOrReference;30 items Items;31 properties {1}SchemaOrReference;32 additionalProperties SchemaOrBoolean;33 default Default;34 description string;35 format string;36 * x-',
    Items: '1 . []SchemaOrReference',
    SecurityScheme: '1 type string;2 description string;3 name string;4 in string',
    Reference: '1 $ref string',
  },
  choices: {
    SchemaOrReference: orReference('Schema', 'Reference'),
    ParameterOrReference: orReference('Parameter', 'Reference'),
    BodyOrReference: orReference('Body', 'Reference'),
    ResponseOrReference: orReference('Response', 'Reference'),
    SecurityOrReference: orReference('SecurityScheme', 'Reference'),
    SchemaOrBoolean: schemaOrBoolean('SchemaOrReference'),
    // Object defaults do not exist in this form; `nothing` leaves the message empty.
    Default: (value) =>
      typeof value === 'number'
        ? [1, 'double']
        : typeof value === 'boolean'
          ? [2, 'boolean']
          : typeof value === 'string'
            ? [3, 'string']
            : [0, 'nothing'],
  },
};
