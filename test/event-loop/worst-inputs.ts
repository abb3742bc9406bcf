/**
 * The requests that cost the API's event loop most: bodies at their size limits, in the shapes that
 * are slowest to read.
 */

export interface WorstInput {
  readonly name: string
  readonly method?: 'GET' | 'POST'
  readonly path: (place: { projectId: string; newsletter: string; hook: string }) => string
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Undefined for a request without a body. */
  readonly body?: (place: { newsletter: string }) => string | Uint8Array
  readonly statuses: readonly number[]
}

const MiB = 1024 * 1024
const filled = (unit: string, bytes: number) =>
  unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)))
const many = (count: number, item: (no: number) => string, separator = '\n') =>
  Array.from({ length: count }, (_, no) => item(no)).join(separator)

/** JSON that is within a parser's limits and expensive to traverse. */
const jsonShapes = (bytes: number): readonly (readonly [name: string, json: string])[] => [
  ['empty arrays', `[${filled('[],', bytes - 4)}0]`],
  ['nested arrays', `[${filled(`${'['.repeat(30)}${']'.repeat(30)},`, bytes - 4)}0]`],
  ['fields', `{${many(Math.floor(bytes / 13), (no) => `"k${`${no}`.padStart(7, '0')}":1`, ',')}}`],
  ['empty texts', `[${filled('"",', bytes - 4)}0]`],
  ['escapes', `"${filled('\\u2039', bytes - 2)}"`],
  ['an open array', filled('[', bytes)],
]

const campaign = '/api/v1/admin/email/campaigns'
const jsonBodies: readonly WorstInput[] = [
  ...jsonShapes(3 * MiB - 200).flatMap(([name, json]): WorstInput[] => [
    { name: `a campaign that is ${name}`, path: () => campaign, body: () => json, statuses: [400] },
    {
      name: `a campaign with ${name} in its text`,
      path: () => campaign,
      body: ({ newsletter }) => `{"newsletter":"${newsletter}","subject":"s","html":${json}}`,
      statuses: [400],
    },
  ]),
  ...jsonShapes(500 * 1024).flatMap(([name, json]): WorstInput[] => [
    {
      name: `a contact with ${name} as attributes`,
      path: () => '/api/v1/contacts',
      body: ({ newsletter }) =>
        `{"newsletter":"${newsletter}","email":"a@b.test","attribs":${json}}`,
      statuses: [400],
    },
    {
      name: `an email with ${name} as data`,
      path: () => '/api/v1/send',
      headers: { 'idempotency-key': `key ${name}` },
      body: ({ newsletter }) =>
        `{"newsletter":"${newsletter}","to":"a@b.test","subject":"s","html":"<p>x</p>","data":${json}}`,
      statuses: [400],
    },
  ]),
  ...jsonShapes(60 * 1024).map(
    ([name, json]): WorstInput => ({
      name: `a bulk change with ${name}`,
      path: ({ projectId }) => `/api/v1/projects/${projectId}/issues/bulk`,
      body: () => `{"ids":${json},"status":"resolved"}`,
      statuses: [400, 404],
    }),
  ),
]

const html =
  (text: string) =>
  ({ newsletter }: { newsletter: string }) =>
    JSON.stringify({ newsletter, to: 'a@b.test', subject: 's', html: text })
const sends: readonly WorstInput[] = [
  ['a quoted attribute of punctuation', `<p title="${'\u2039'.repeat(200_000)}">`],
  ['placeholders of many names', many(55_000, (no) => `{{attr.k${no}}}`, '')],
  ['placeholders of one name', '{{name}}'.repeat(120_000)],
  ['braces that are no placeholders', '{{x}} '.repeat(160_000)],
  ['characters beyond the basic plane', '\u{1f600}'.repeat(500_000)],
  ['line breaks', '\n'.repeat(1_000_000)],
].flatMap(([name = '', text = '']): WorstInput[] => [
  {
    name: `an email of ${name}`,
    path: () => '/api/v1/send',
    body: html(text),
    statuses: [200, 400, 503],
  },
  {
    name: `an email of ${name}, with a key`,
    path: () => '/api/v1/send',
    headers: { 'idempotency-key': name },
    body: html(text),
    statuses: [200, 400, 503],
  },
])

const contacts = ({ newsletter }: { newsletter: string }) =>
  `/api/v1/admin/email/imports?newsletter=${newsletter}`
const attribsOf = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, no) => [`a${no}`, no])))
const cell = (text: string) => `"${text.replaceAll('"', '""')}"`
const contactFiles: readonly WorstInput[] = [
  ['short rows', `email\n${many(5_000, (no) => `a${no}@b.test`)}`],
  ['refused rows', `email\n${many(20_000, () => 'x')}`],
  [
    'rows of attributes',
    `email,attribs\n${many(500, (no) => `b${no}@b.test,${cell(attribsOf(50))}`)}`,
  ],
  [
    'rows of too many attributes',
    `email,attribs\n${many(100, (no) => `c${no}@b.test,${cell(attribsOf(3_500))}`)}`,
  ],
  [
    'rows of many columns',
    `email,${many(190, (no) => `attr.k${no}`, ',')}\n${many(400, (no) => `d${no}@b.test${',1'.repeat(190)}`)}`,
  ],
  ['rows of commas', `email\n${many(40, (no) => `e${no}@b.test${','.repeat(60_000)}`)}`],
  ['long domains', `email\n${many(3_000, (no) => `f${no}@${'xn--a.'.repeat(30)}test`)}`],
  [
    'Windows-1252',
    Buffer.from(`email,name\n${many(3_000, (no) => `g${no}@b.test,Zo\u00eb`)}`, 'latin1'),
  ],
  ['one line without an end', `email\n${'a'.repeat(5 * MiB)}`],
  ['one quoted cell', `email\n"${'a'.repeat(5 * MiB)}"`],
  ['100,000 columns', `email,${many(100_000, (no) => `c${no}`, ',')}\na@b.test`],
  ['12,000 columns', `email,${many(12_000, (no) => `c${no}`, ',')}\na@b.test`],
  ['a first line of quotes', `email,${'"",'.repeat(20_000)}\na@b.test`],
  ['blank lines', `email\n${'\n'.repeat(8 * MiB)}a@b.test`],
].map(
  ([name, body]): WorstInput => ({
    name: `contacts: ${name as string}`,
    path: contacts,
    type: 'text/csv',
    body: () => body as string,
    statuses: [202, 400],
  }),
)
const contactJson: readonly WorstInput[] = [
  ...jsonShapes(4 * MiB - 200),
  ['contacts', `[${many(60_000, (no) => `{"email":"j${no}@b.test"}`, ',')}]`] as const,
  [
    'contacts of many fields',
    `[${many(600, (no) => `{"email":"k${no}@b.test",${many(190, (at) => `"attr.k${at}":1`, ',')}}`, ',')}]`,
  ] as const,
  [
    'an attribute of empty arrays',
    `[{"email":"l@b.test","attribs":[${filled('[],', 4 * MiB - 300)}0]}]`,
  ] as const,
].map(
  ([name, body]): WorstInput => ({
    name: `contacts as JSON: ${name}`,
    path: contacts,
    body: () => body,
    statuses: [202, 400],
  }),
)

const suppressions: readonly WorstInput[] = [
  ['addresses', `email\n${many(20_000, (no) => `s${no}@b.test`)}`],
  ['refused rows', `email\n${many(50_000, () => 'x'.repeat(90))}`],
  ['too many rows', `email\n${filled('x\n', 5 * MiB - 10)}`],
  ['commas', `email\n${filled(`${','.repeat(9_000)}\n`, 5 * MiB - 10)}`],
  ['one quoted cell', `email\n"${filled('a', 5 * MiB - 10)}`],
  ['blank lines', filled('\n', 5 * MiB)],
].map(
  ([name = '', body = '']): WorstInput => ({
    name: `suppressions: ${name}`,
    path: () => '/api/v1/admin/email/suppressions/import?dryRun=true',
    type: 'text/csv',
    body: () => body,
    statuses: [200, 400],
  }),
)

const feedback = ({ projectId }: { projectId: string }) =>
  `/api/v1/admin/feedback/${projectId}/import?dry_run=true`
const feedbackFiles: readonly WorstInput[] = [
  ['text/csv', 'rows', `message\n${many(5_000, (no) => `${'word '.repeat(90)}${no}`)}`],
  ['text/csv', 'too many rows', `message\n${filled('x\n', 10 * MiB - 10)}`],
  ['text/csv', 'commas', `message\n${filled(`x${','.repeat(90_000)}\n`, 10 * MiB - 10)}`],
  [
    'text/csv',
    'columns',
    `${many(100_000, (no) => `c${no}`, ',')}\n${many(10, () => `${'1,'.repeat(100_000)}`)}`,
  ],
  ['text/csv', 'one quoted cell', `message\n"${filled('a', 10 * MiB - 20)}`],
  [
    'application/json',
    'rows',
    `[${many(20_000, (no) => `{"message":"${'word '.repeat(90)}${no}"}`, ',')}]`,
  ],
  [
    'application/json',
    'a text of marks',
    `[${many(400, () => `{"message":"${'a\u0301'.repeat(8_000)}"}`, ',')}]`,
  ],
  ...jsonShapes(10 * MiB - 20).map(([name, json]) => ['application/json', name, json]),
].map(
  ([type = '', name = '', body = '']): WorstInput => ({
    name: `feedback as ${type}: ${name}`,
    path: feedback,
    type,
    body: () => body,
    statuses: [200, 400],
  }),
)

const ideas = ({ projectId }: { projectId: string }) =>
  `/api/v1/admin/portal/${projectId}/ideas/import`
const idea = (no: number, fields: string) =>
  `{"id":"i${no}","title":"t${no}","description":"d",${fields}}`
const ideaFiles: readonly WorstInput[] = [
  [
    'application/json',
    'ideas with voters',
    `[${many(20, (no) => idea(no, `"voters":[${many(2_000, (at) => `"v${at}"`, ',')}]`), ',')}]`,
  ],
  [
    'application/json',
    'one idea of many voters',
    `[${idea(101, `"voters":[${many(20_000, (at) => `{"enduser_id":"w${at}"}`, ',')}]`)}]`,
  ],
  [
    'application/json',
    'a chain of comments',
    `[${idea(102, `"comments":[${many(10_000, (at) => `{"id":"${at}","parent_id":${at === 0 ? null : `"${at - 1}"`},"body":"b"}`, ',')}]`)}]`,
  ],
  [
    'application/json',
    'a chain of duplicates',
    `[${many(10_000, (no) => `{"id":"x${no}","title":"x","description":"d","status":"Duplicate","duplicate_of":"x${no + 1}"}`, ',')},{"id":"x10000","title":"x","description":"d"}]`,
  ],
  [
    'application/json',
    'long ideas',
    `[${many(600, (no) => idea(200 + no, `"description":"${'word '.repeat(1_900)}"`), ',')}]`,
  ],
  ['text/csv', 'rows', `title,description\n${many(4_000, (no) => `t${no},${'word '.repeat(60)}`)}`],
  ['text/csv', 'commas', `title\n${filled(`x${','.repeat(90_000)}\n`, 20 * MiB)}`],
  ['text/csv', 'one quoted cell', `title\n"${filled('a', 16 * MiB)}`],
  ...jsonShapes(16 * MiB).map(([name, json]) => ['application/json', name, json]),
].map(
  ([type = '', name = '', body = '']): WorstInput => ({
    name: `ideas as ${type}: ${name}`,
    // A dry run follows the chain; storing it would take ten seconds of queries.
    path: name === 'a chain of duplicates' ? (place) => `${ideas(place)}?dry_run=true` : ideas,
    type,
    body: () => body,
    statuses: [200, 400, 413],
  }),
)

const report = 'Content-Type: multipart/report; boundary=a\n\n'
const status = `${report}--a\nContent-Type: message/delivery-status\n\n`
const bounces: readonly WorstInput[] = [
  ['carriage returns', filled('\r', MiB)],
  ['parts', `${report}${filled('--a\n', MiB - 100)}`],
  [
    'recipients',
    `${status}${filled('Final-Recipient: a@b.test\nAction: failed\nStatus: 5.1.1\n\n', MiB - 200)}`,
  ],
  [
    'a diagnosis of words',
    `${status}Final-Recipient: a@b.test\nAction: failed\nDiagnostic-Code: ${filled('a ', MiB - 300)}`,
  ],
  ['folded lines', `A: ${filled('\n ', MiB - 10)}`],
].map(
  ([name = '', body = '']): WorstInput => ({
    name: `a bounce message of ${name}`,
    path: ({ hook }) => hook,
    type: 'message/rfc822',
    body: () => body,
    statuses: [200],
  }),
)

export const worstInputs: readonly WorstInput[] = [
  ...jsonBodies,
  ...sends,
  ...contactFiles,
  ...contactJson,
  ...suppressions,
  ...feedbackFiles,
  ...ideaFiles,
  ...bounces,
  ...['/docs/json', '/docs/yaml'].map(
    (path): WorstInput => ({
      name: `the OpenAPI document: ${path}`,
      method: 'GET',
      path: () => path,
      statuses: [200],
    }),
  ),
]
