/** Rows of ClickHouse that name a person in every way, and one of another person. */
import { dashed } from '#schemas/ids.ts'
import { userHash } from '../../workers/release-health/user-hash.ts'
import { type ApiFixture, hex } from '../fixtures/api-fixture.ts'

interface EventOptions {
  readonly mark: string
  readonly email: string
  readonly userId: string
  readonly address: string
  readonly neighbour: string
  readonly text: string
}

export async function fillClickHouse(
  api: ApiFixture,
  number: number,
  options: EventOptions,
): Promise<void> {
  const { email, userId, address, text, mark, neighbour } = options
  const nowMs = Date.now()
  const event = (name: string, fields: object) => ({
    project_id: number,
    event_id: dashed(hex(`${mark} ${name}`)),
    fingerprint: dashed(hex(mark)),
    received_at: nowMs,
    occurred_at: nowMs,
    retention_days: 90,
    title: 'Error',
    payload: '{}',
    ...fields,
  })
  await api.clickhouse.insert({
    table: 'events',
    format: 'JSONEachRow',
    values: [
      event('own', {
        user_id: userId,
        user_email: email.toUpperCase(),
        user_name: 'Ann',
        user_ip: address,
        geo_country: 'DE',
        geo_city: 'Ulm',
        stack_id: 4712,
        stack_functions: ['checkout'],
        payload: JSON.stringify({
          message: 'ok',
          user: { id: userId, email, username: 'Ann', geo: { city: 'Ulm' } },
        }),
      }),
      event('by number', {
        payload: JSON.stringify({
          user: { id: Number(userId), data: { secret: 'Ann' } },
          level: 'error',
        }),
      }),
      event('in text', {
        title: text,
        culprit: `${email} ${email}`,
        exception_type: text,
        tags: { user: email, note: text },
        grouping: JSON.stringify({ message: text }),
        payload: JSON.stringify({
          message: `line\n${email}\nline`,
          request: { url: `https://x.test/?e=${encodeURIComponent(email)}&n=1` },
        }),
        error_types: ['Error', text],
        error_values: [text, `${email} ${email}`],
        stack_id: 4711,
        stack_functions: ['pay', `pay(${email})`],
        stack_filenames: [`/home/${email}/pay.js`],
        stack_abs_paths: [`/home/${email}/pay.js`],
        stack_modules: [`shop/${email}`, text],
        stack_packages: [text],
      }),
      event('of another', {
        user_id: `${userId}0`,
        user_email: neighbour,
        payload: JSON.stringify({
          user: { id: `${userId}0` },
          message: `mail ${neighbour}`,
          n: 1.1,
        }),
      }),
    ],
  })
  const hash = userHash(number as never, userId)
  await api.clickhouse.insert({
    table: 'sessions',
    format: 'JSONEachRow',
    values: [
      {
        project_id: number,
        hour: Math.floor(nowMs / 1000),
        release: 'a@1',
        sid: dashed(hex(`${mark} sid`)),
        user_hash: hash,
        weight: 1,
        retention_days: 90,
      },
      {
        project_id: number,
        hour: Math.floor(nowMs / 1000),
        release: 'a@1',
        sid: dashed(hash.toString(16).padStart(32, '0')),
        user_hash: hash,
        weight: 0,
        retention_days: 90,
      },
    ],
  })
  await api.clickhouse.command({
    query: `insert into session_days (project_id, day, version, width, start, release, users, retention_days)
      select ${number}, toDate(now()), 1, 86400, toStartOfDay(now()), 'a@1', uniqCombined64State(15)(toUInt64(${hash})), 91`,
  })
  await api.clickhouse.insert({
    table: 'outcomes',
    format: 'JSONEachRow',
    values: [
      {
        project_id: number,
        dsn_key_no: 1,
        hour: Math.floor(nowMs / 1000),
        outcome: 'accepted',
        category: 'error',
        quantity: 3,
      },
    ],
  })
}
