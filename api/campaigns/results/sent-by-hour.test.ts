import { expect, test } from 'vitest'
import { apiOfThisFile } from '../../../test/fixtures/api-fixture.ts'
import {
  addContact,
  addDraft,
  openDesk,
  startSending,
} from '../../../test/fixtures/campaign-desk.ts'

const api = apiOfThisFile()

test('results count what was sent in each hour', async () => {
  const desk = await openDesk(api())
  const { body } = await addDraft(desk)
  const { login } = desk
  const series = async () => {
    const path = `/api/v1/admin/email/campaigns/${body.id}/results`
    const results = await api().call(path, { login })
    return results.body.series.map(({ at, sent }: { at: string; sent: number }) => [at, sent])
  }
  await startSending(desk, body.id)
  api().time.nowMs = Date.parse('2026-11-21T04:00:00Z')
  const times = ['01:30', '01:59', '03:00']
  for (const time of times) {
    const { contactId } = await addContact(desk)
    await api().pool.query(
      `insert into deliveries (campaign_id, contact_id, address_id, state, finished_at)
         select $1, id, address_id, 'sent', $3 from contacts where id = $2`,
      [body.id, contactId, `2026-11-21T${time}:00Z`],
    )
  }
  await api().pool.query('insert into campaign_counts (campaign_id, sent) values ($1, 3)', [
    body.id,
  ])
  const at = (hour: number) => `2026-11-21T0${hour}:00:00.000Z`
  const inHours = [
    [at(1), 2],
    [at(2), 0],
    [at(3), 1],
  ]
  expect((await series()).slice(0, 3)).toEqual(inHours)
  await api().pool.query(`update campaigns set state = 'sent', finished_at = $2 where id = $1`, [
    body.id,
    '2026-11-21T03:00:01Z',
  ])
  expect((await series()).slice(0, 3)).toEqual(inHours)
  // Within one hour, the counter is the answer.
  await api().pool.query('update campaigns set finished_at = $2 where id = $1', [
    body.id,
    '2026-11-21T01:59:59Z',
  ])
  expect((await series()).slice(0, 3)).toEqual([
    [at(1), 3],
    [at(2), 0],
    [at(3), 0],
  ])
})
