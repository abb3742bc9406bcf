import { expect, test } from 'vitest'
import { CodedError } from '#schemas/error-codes.ts'
import { planImport } from '../plan-import.ts'
import { readRows } from './read-rows.ts'

const now = new Date('2026-11-22T12:00:00Z')

interface Given {
  readonly mapping?: object
  readonly ignore?: string[]
  readonly format?: 'generic' | 'mailchimp'
  readonly fileName?: string
  readonly status?: 'subscribed' | 'pending' | 'unsubscribed' | 'bounced'
}

async function planned(text: string, given: Given = {}) {
  const file = [Buffer.from(text)]
  const options = {
    mapping: JSON.stringify(given.mapping ?? {}),
    ignore: given.ignore ?? [],
    format: given.format,
    fileName: given.fileName,
    status: given.status,
    updateExisting: false,
    newsletter: 'demo',
    source: undefined,
    dryRun: false,
  }
  return planImport({ open: () => file, start: file[0]! }, options, now)
}

/** The state of each row as `own` or `own/suppression`, or the field of the problem. */
async function states(text: string, given: Given = {}): Promise<string[]> {
  const { plan } = await planned(text, given)
  const found: [number, string][] = []
  for await (const { rows, problems } of readRows([Buffer.from(text)], plan, {
    rowsDone: 0,
    now,
  })) {
    for (const { line, own, suppression } of rows) {
      found.push([line, suppression === null ? `${own}` : `${own}/${suppression}`])
    }
    for (const { line, field } of problems) found.push([line, `refused: ${field}`])
  }
  return found.sort(([a], [b]) => a - b).map(([, state]) => state)
}

const refusal = async (text: string, given: Given = {}) => {
  const error = await planned(text, given).catch((thrown: unknown) => thrown)
  return error instanceof CodedError ? (error.details?.[0] ?? error) : 'imported'
}

const optOutNames = [
  ...['unsubscribed', 'Unsubscribed At', 'unsubscribedAt', 'UNSUB_TIME', 'unsub', 'Status2'],
  ...['email_status', 'state', 'State', 'opt_out', 'optout', 'Opted Out', 'opt-in', 'Opt In Date'],
  ...['subscribed', 'is_subscribed', 'subscription', 'blocklisted', 'blacklisted', 'Blocked'],
  ...[
    'suppressed',
    'bounced',
    'Hard Bounce',
    'cleaned',
    'complained',
    'spam_report',
    'do_not_email',
  ],
  ...['DoNotContact', 'no_email', 'gdpr_consent', 'Consent', 'active', 'is_active', 'enabled'],
  ...['inactive', 'deleted_at', 'removed', 'banned', 'confirmed', 'verified', 'Abgemeldet am'],
  ...['Désinscrit', 'attr.unsubscribed', 'attribs.opt_out', 'permission status'],
]

test.each(optOutNames)(
  'the column %s stops an import until it is mapped or ignored',
  async (name) => {
    const text = `email,${name}\na@example.com,yes\n`
    const rule = expect.stringContaining(`"${name}" means, because it looks like an opt-out`)
    expect(await refusal(text)).toMatchObject({ field: 'mapping', rule })
    expect(await states(text, { ignore: [name] })).toEqual(['subscribed'])
    expect(await states(text, { mapping: { ignore: [name] } })).toEqual(['subscribed'])
    expect(await states(text, { mapping: { unsubscribed: name } })).toEqual(['unsubscribed'])
    expect(await states(text, { mapping: { attribs: { mine: name } } })).toEqual(['subscribed'])
  },
)

test.each(['city', 'company', 'Kind of business', 'created_at', 'language', 'plan', 'phone'])(
  'the column %s does not',
  async (name) => {
    expect(await states(`email,${name}\na@example.com,x\n`)).toEqual(['subscribed'])
  },
)

test('a second column with a known name stops the import', async () => {
  expect(await states('email,status,status\na@example.com,subscribed,unsubscribed\n')).toEqual([
    'unsubscribed',
  ])
  expect(
    await refusal('email,optout,optout\na@b.co,1,1\n', { mapping: { unsubscribed: 'optout' } }),
  ).toMatchObject({ rule: 'names two columns of the file: optout' })
})

// biome-ignore format: the columns are the point
test.each([
  ['unsubscribed', ['yes', 'TRUE', '1', 'x', '2024-01-02', '02.01.2024 10:00'], ['unsubscribed'], ['no', 'false', '0', ''], ['subscribed']],
  ['subscribed', ['yes', 'true', '2024-01-02 03:04:05'], ['subscribed'], ['no', '0', ''], ['unsubscribed']],
  ['bounced', ['yes'], ['subscribed/hard'], ['no', ''], ['subscribed']],
  ['complained', ['1'], ['unsubscribed/complaint'], ['0', ''], ['subscribed']],
  ['blocked', ['true'], ['unsubscribed/manual'], ['false', ''], ['subscribed']],
])('a column mapped as %s', async (field, yes, ifYes, no, ifNo) => {
  const of = (cell: string) => states(`email,x\na@example.com,${cell}\n`, { mapping: { [field]: 'x' } })
  for (const cell of yes) expect(await of(cell), cell).toEqual(ifYes)
  for (const cell of no) expect(await of(cell), cell).toEqual(ifNo)
  for (const cell of ['maybe', '2', 'null', '0000-00-00', '__proto__', 'constructor']) {
    expect(await of(cell), cell).toEqual(['refused: status'])
  }
})

test('the status column has known and mapped values; any other value refuses the row', async () => {
  const text =
    'email,status\na@b.co,Subscribed\nb@b.co,unsubscribed\nc@b.co,pending\nd@b.co,bounced\ne@b.co,complained\nf@b.co,weg\ng@b.co,\n'
  const known = [
    ...['subscribed', 'unsubscribed', 'pending', 'subscribed/hard', 'unsubscribed/complaint'],
  ]
  expect(await states(text)).toEqual([...known, 'refused: status', 'subscribed'])
  const mapping = { status: 'status', statusValues: { Weg: 'unsubscribed' } }
  expect(await states(text, { mapping })).toEqual([...known, 'unsubscribed', 'subscribed'])
  expect(await states(text, { mapping: { statusValues: { weg: 'blocked' } } })).toEqual([
    ...known,
    'unsubscribed/manual',
    'subscribed',
  ])
})

test('the status option never overrides an opt-out in the file', async () => {
  const text = 'email,status\na@b.co,subscribed\nb@b.co,pending\nc@b.co,unsubscribed\n'
  expect(await states(text, { status: 'unsubscribed' })).toEqual(Array(3).fill('unsubscribed'))
  expect(await states(text, { status: 'pending' })).toEqual(['pending', 'pending', 'unsubscribed'])
})

test('a row with too few or too many cells is refused, because its status may be in another cell', async () => {
  const text =
    'email,name,status\na@b.co,unsubscribed\nb@b.co,Doe, John,unsubscribed\nc@b.co,C,subscribed,,\n'
  expect(await states(text)).toEqual(['refused: file', 'refused: file', 'subscribed'])
})

const mailchimp = 'Email Address,First Name,MEMBER_RATING,OPTIN_TIME,LEID'

// biome-ignore format: the columns are the point
test.each([
  ['cleaned by its columns', `${mailchimp},CLEAN_TIME\na@b.co,A,1,,5,2024-02-01 00:00:00\nb@b.co,B,1,,5,\n`, {}, ['subscribed/hard', 'subscribed/hard']],
  ['unsubscribed by its columns', `${mailchimp},UNSUB_TIME\na@b.co,A,1,,5,2024-02-01 00:00:00\nb@b.co,B,1,,5,\n`, {}, ['unsubscribed', 'unsubscribed']],
  ['subscribed by its name', `${mailchimp}\na@b.co,A,1,,5\n`, { fileName: 'exports/subscribed_email_audience_export_1.csv' }, ['subscribed']],
  ['cleaned by its name', `${mailchimp}\na@b.co,A,1,,5\n`, { fileName: 'C:\\cleaned_members_export.csv' }, ['subscribed/hard']],
  ['nonsubscribed by its name', `${mailchimp}\na@b.co,A,1,,5\n`, { fileName: 'nonsubscribed_1.csv' }, ['unsubscribed']],
  ['called subscribed, but with the columns of the other', `${mailchimp},UNSUB_TIME\na@b.co,A,1,,5,\n`, { fileName: 'subscribed_1.csv' }, ['unsubscribed']],
  ['said to be subscribed', `${mailchimp},UNSUB_TIME\na@b.co,A,1,,5,2024-02-01 00:00:00\nb@b.co,B,1,,5,\n`, { status: 'subscribed' }, ['unsubscribed', 'subscribed']],
] as const)("Mailchimp's file %s", async (_name, text, given, expected) => {
  expect(await states(text, given)).toEqual(expected)
})

// biome-ignore format: the columns are the point
test.each([
  ['a file of Mailchimp that nothing tells apart', `${mailchimp}\na@b.co,A,1,,5\n`, {}, 'fileName', 'subscribed_….csv'],
  ['those who left, said to be subscribed', `${mailchimp}\na@b.co,A,1,,5\n`, { fileName: 'unsubscribed_1.csv', status: 'subscribed' }, 'status', 'unsubscribed'],
  ['the cleaned, said to be pending', `${mailchimp}\na@b.co,A,1,,5\n`, { fileName: 'C:\\Cleaned_1.csv', status: 'pending' }, 'status', 'bounced'],
  ['a known format with an opt-out column of its own', 'id,email,first_name,last_name,unsubscribed,created_at,Opt out\n', {}, 'mapping', '"Opt out"'],
  ['an old export of Keila', 'Email,First name,Last name,Data\na@b.co,A,B,\n', {}, 'file', 'Status'],
  ['an ignored column that is not there', 'email\n', { ignore: ['status'] }, 'ignore', 'names no column'],
  ['no names of columns', 'a@example.com,Ada\nb@example.com,Bob\n', {}, 'file', 'not an address'],
  ['10,000 columns', `email,${Array.from({ length: 9_999 }, (_, no) => `c${no}`).join(',')}\n`, {}, 'file', 'at most'],
  ['a first line of 10 MB', 'x'.repeat(10_000_000), {}, 'file', 'column names'],
  ['a name of 10,000 characters', `email,${'x'.repeat(10_000)}\n`, {}, 'file', '200 characters'],
  ['an open quote in the first line', `"email,${'x'.repeat(70_000)}`, {}, 'file', 'column names'],
] as const)('400 for %s', async (_name, text, given, field, words) => {
  const rule = expect.stringContaining(words)
  expect(await refusal(text, given as Given)).toMatchObject({ field, rule })
})

test('an export of listmonk has a note about missing information', async () => {
  const { notes, plan } = await planned('uuid,email,name,attributes,status,created_at,updated_at\n')
  expect(plan.format).toBe('listmonk')
  expect(notes).toEqual([expect.stringContaining('subscription_status')])
})
