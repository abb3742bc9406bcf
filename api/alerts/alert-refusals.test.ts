/** Values that a rule of alerts cannot have: each is refused, and the reply names its field. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { targetsPerRuleMax } from '#schemas/rest/alerts/alert.ts'
import { email, rule, ruleDeskOfThisFile } from '../../test/fixtures/alerts/rule-desk.ts'

const { api, post, patch, created } = ruleDeskOfThisFile()

const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)])
const strange: readonly (readonly [name: string, value: unknown])[] = [
  ['null', null],
  ['a number', 1e308],
  ['a negative number', -1],
  ['a fraction', 0.5],
  ['an empty text', ''],
  ['a long text', 'x'.repeat(5_000)],
  ['NUL', 'a\0b'],
  ['a lone surrogate', 'a\ud800b'],
  ['true', true],
  ['an empty list', []],
  ['a long list', Array(200).fill('x')],
  ['a deep list', deep(40)],
  ['an object', { a: 1 }],
  ['an unknown type', [{ type: 'carrier_pigeon' }]],
]
/** Values of the table that are valid in a field. */
const valid: Readonly<Record<string, readonly string[]>> = {
  name: [],
  enabled: ['true'],
  when: [],
  if: [],
  then: [],
  cooldown_seconds: [],
  digest_seconds: [],
  quiet_hours: ['null'],
  muted_until: ['null'],
  'if.environment': [],
  'if.tags': [],
  // A text of any length up to the limit of a query.
  'if.query': ['an empty text'],
  'if.unresolved': ['true'],
  'then.0.to': [],
  'then.0.url': [],
  'quiet_hours.timezone': [],
  'quiet_hours.days': [],
}
const within: Readonly<Record<string, (value: unknown) => object>> = {
  'if.environment': (environment) => ({ if: { environment } }),
  'if.tags': (tags) => ({ if: { tags } }),
  'if.query': (query) => ({ if: { query } }),
  'if.unresolved': (unresolved) => ({ if: { unresolved } }),
  'then.0.to': (to) => ({ then: [{ type: 'email', to }] }),
  'then.0.url': (url) => ({ then: [{ type: 'webhook', url }] }),
  'quiet_hours.timezone': (timezone) => ({ quiet_hours: { from: '22:00', to: '06:00', timezone } }),
  'quiet_hours.days': (days) => ({ quiet_hours: { from: '22:00', to: '06:00', days } }),
}

test.each(Object.keys(valid))(
  'hostile values of %s are refused, and the field is named',
  async (field) => {
    const top = field.split('.')[0]!
    const made = await created()
    for (const [name, value] of strange) {
      api().time.nowMs += 1_000
      const fields = within[field]?.(value) ?? { [field]: value }
      for (const answer of [await post({ ...rule, ...fields }), await patch(made.id, fields)]) {
        const expected = valid[field]!.includes(name) ? [200, 201] : [400]
        expect([field, name, expected.includes(answer.status), answer.body.message]).toEqual([
          field,
          name,
          true,
          answer.body.message,
        ])
        if (answer.status !== 400) continue
        // What is nested too deeply is refused as a whole.
        const place = name === 'a deep list' ? 'body' : top
        expect(answer.body.details[0].field).toContain(place)
      }
    }
  },
)

// biome-ignore format: the columns are the point
test.each([
  ['an unknown field',          { colour: 'red' },                                            'colour'],
  ['an unknown field of if',    { if: { host: ['a'] } },                                      'if.host'],
  ['an unknown field of a condition', { when: [{ type: 'new_issue', level: 'error' }] },      'when.0.level'],
  ['a target without its URL',  { then: [{ type: 'webhook' }] },                              'then.0.url'],
  ['eleven targets',            { then: Array(targetsPerRuleMax + 1).fill(email) },           'then'],
  ['eleven conditions',         { when: Array(11).fill({ type: 'new_issue' }) },              'when'],
  ['a window of a second',      { when: [{ type: 'event_count', threshold: 1, window_seconds: 1 }] }, 'when.0.window_seconds'],
  ['a loopback address',        { then: [{ type: 'webhook', url: 'http://127.0.0.1/x' }] },   'then.0.url'],
  ['an address in hexadecimal', { then: [{ type: 'webhook', url: 'https://0x7f000001/' }] },  'then.0.url'],
  ['a metadata service',        { then: [{ type: 'slack', url: 'https://169.254.169.254/' }] }, 'then.0.url'],
  ['plain http',                { then: [{ type: 'webhook', url: 'http://example.com/' }] },  'then.0.url'],
  ['a script',                  { then: [{ type: 'webhook', url: 'javascript:alert(1)' }] },  'then.0.url'],
  ['a shown URL',               { then: [{ type: 'slack', url: 'https://hooks.slack.com/…' }] }, 'then.0.url'],
  ['a token with a slash',      { then: [{ type: 'telegram', bot_token: '1:a/../b', chat_id: '1' }] }, 'then.0.bot_token'],
  ['a key with a line break',   { then: [{ type: 'opsgenie', api_key: 'a\r\nX: y' }] },       'then.0.api_key'],
  ['an unknown team',           { then: [{ type: 'email', to: ['team:nobody'] }] },           'then.0.to.0'],
  ['a team of others',          { then: [{ type: 'email', to: ['owners', 'team:theirs'] }] }, 'then.0.to.1'],
  ['an unknown person',         { then: [{ type: 'email', to: [randomUUID()] }] },            'then.0.to.0'],
  ['a stranger',                { then: [{ type: 'email', to: ['a@b.example'] }] },           'then.0.to.0'],
  ['a topic of no name',        { then: [{ type: 'ntfy', url: 'https://ntfy.sh/%zz' }] },           'then.0.url'],
  ['no topic',                  { then: [{ type: 'ntfy', url: 'https://ntfy.sh/' }] },              'then.0.url'],
  ['a pending domain',          { then: [{ type: 'email', to: ['a@pending.test'] }] },        'then.0.to.0'],
  ['a domain below a verified one', { then: [{ type: 'email', to: ['a@x.shop.test'] }] },     'then.0.to.0'],
  ['an unknown word',           { then: [{ type: 'email', to: ['everybody'] }] },             'then.0.to.0'],
  ['a second target with a fault', { then: [email, { type: 'email', to: ['x'] }] },           'then.1.to.0'],
  ['a query with an open quote', { if: { query: 'a "b' } },                                   'if.query'],
  ['a query about issues',      { if: { query: 'times_seen:>5' } },                           'if.query'],
  ['too many bytes of filters', { if: { environment: Array(50).fill('é'.repeat(100)) } },     'if'],
  ['an unknown time zone',      { quiet_hours: { from: '22:00', to: '06:00', timezone: 'Mars/Base' } }, 'quiet_hours.timezone'],
  ['an offset as a time zone',  { quiet_hours: { from: '22:00', to: '06:00', timezone: '+02:00' } }, 'quiet_hours.timezone'],
  ['a time of 24:00',           { quiet_hours: { from: '24:00', to: '06:00' } },              'quiet_hours.from'],
  ['an unknown idea status',    { when: [{ type: 'idea_status', to: ['Nope'] }] },            'when.0.to.0'],
] as const)('%s is refused, and the field is named', async (_name, fields, field) => {
  const answer = await post({ ...rule, ...fields })
  expect([answer.status, answer.body.code]).toEqual([400, 'validation_failed'])
  expect(answer.body.details[0].field).toBe(field)
})
