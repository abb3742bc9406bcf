/** Dead letters on the running product, and the commands with which an operator handles them. */
import { expect, test } from 'vitest'
import { productOfThisFile } from '../fixtures/processes/running-product.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'

const product = productOfThisFile()

/** The metric is updated every 30 s. */
const eventId = 'ab'.repeat(16)
const exception = { values: [{ type: 'Refused', value: 'no' }] }

function envelope(...items: readonly (readonly [type: string, body: object])[]): string {
  const lines = items.map(([type, body]) => `{"type":"${type}"}\n${JSON.stringify(body)}\n`)
  return `{}\n${lines.join('')}`
}

/** A check constraint makes Postgres refuse a record. */
const refusals = [
  ['issues', `title not like 'Refused%'`],
  ['monitors', `slug <> 'refused'`],
  ['feedback', `message <> 'refused'`],
] as const

async function change(how: (table: string, check: string) => string): Promise<void> {
  for (const [table, check] of refusals) await product().postgres.query(how(table, check))
}

interface Listed {
  readonly id: number
  readonly kind: string
  readonly state: string
}

test('records that a store refuses become dead letters, are listed, retried and then stored once', async () => {
  const project = await product().projectAtOnce('dead letters')
  const list = () => product().adminJson<Listed[]>('dead-letter', 'list')
  await change((table, check) => `alter table ${table} add constraint refuses check (${check})`)
  const body = envelope(
    ['event', { event_id: eventId, exception }],
    ['check_in', { check_in_id: 'cd'.repeat(16), monitor_slug: 'refused', status: 'ok' }],
    ['user_report', { event_id: eventId, comments: 'refused', name: 'Ada', deadLetter: '' }],
  )
  expect((await project.send({ method: 'POST', body })).status).toBe(200)
  const good = envelope(['event', { message: 'good' }])
  expect((await project.send({ method: 'POST', body: good })).status).toBe(200)
  await project.hasEvents(1)
  const isCount = (count: number) => async () => (await product().deadLetterCount()) === count
  await waitUntil('three dead letters', isCount(3))
  const deadLetters = await list()
  expect(deadLetters.map(({ kind }) => kind).toSorted()).toEqual(['check_in', 'event', 'feedback'])
  await project.hasAccounting({
    'accepted error': 1,
    'rejected undigestible error': 1,
    'rejected undigestible monitor': 1,
    'rejected undigestible user_report_v2': 1,
  })
  const event = deadLetters.find(({ kind }) => kind === 'event')!
  const shown = await product().adminJson<{ payload: string }>('dead-letter', 'show', `${event.id}`)
  expect(JSON.parse(shown.payload)).toMatchObject({ event_id: eventId, exception })

  const metrics = `${product().stack.urls.workers}/metrics`
  const isCounted = async () =>
    (await (await fetch(metrics)).text()).includes('workers_dead_letters{reason="undigestible"} 3')
  await waitUntil('the metric', isCounted)

  await change((table) => `alter table ${table} drop constraint refuses`)
  const retried = await product().adminJson('dead-letter', 'retry', '--all')
  expect(retried).toMatchObject({ requested: 3, already_retrying: 0, left: 0 })
  await project.hasEvents(2)
  await waitUntil('no dead letter', isCount(0))
  expect(await list()).toEqual([])
  await project.hasAccounting({
    'accepted error': 2,
    'accepted monitor': 1,
    'accepted user_report_v2': 1,
  })
  expect((await project.events()).map(({ title }) => title).toSorted()).toEqual([
    'Refused: no',
    'good',
  ])
  const used = `select used from quota_usage where project_id = $1`
  expect((await product().postgres.query(used, [project.dsnId])).rows).toEqual([{ used: 2 }])
  const again = await product().adminJson('dead-letter', 'retry', '--all')
  expect(again).toMatchObject({ requested: 0 })
})
