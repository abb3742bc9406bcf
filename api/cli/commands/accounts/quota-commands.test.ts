import { beforeAll, describe, expect, test } from 'vitest'
import { adminOf } from '../../../../test/fixtures/admin-fixture.ts'
import { apiOfThisFile } from '../../../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()
const { admin, json } = adminOf(api)

beforeAll(async () => {
  await admin('organization create --name Acme')
  await admin('organization create --name Other')
})

const acme = (line: string) => json(`${line} --organization Acme`)

describe('quota', () => {
  test('is set, shown and removed; a limit that is not given keeps its value', async () => {
    await acme('project create --name Limited')
    const quota = await acme(
      'quota update --project Limited --monthly-events 1000 --per-minute 60 --per-issue 6',
    )
    expect(quota).toMatchObject({ monthly_events: 1000, per_minute: 60, per_issue_per_minute: 6 })
    await acme('quota update --project Limited --per-minute none')
    const shown = await acme('quota show --project Limited')
    expect(shown).toMatchObject({ monthly_events: 1000, per_minute: null, used: 0, reserved: 0 })
    expect(shown.by_key).toHaveLength(1)
  })

  test('a DSN key has its own limit', async () => {
    const { public_key } = await acme('dsn-key create --project Limited --label cli')
    expect(await acme(`dsn-key update ${public_key} --per-minute 5`)).toMatchObject({
      per_minute: 5,
    })
    expect(await acme(`dsn-key update ${public_key} --per-minute none`)).toMatchObject({
      per_minute: null,
    })
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['quota update --project Limited',                        'Say which limit'],
    ['quota update --project Limited --monthly-events many',  '--monthly-events is not valid'],
    ['quota update --project Limited --per-minute 0',         '--per-minute is not valid'],
    ['dsn-key update nope --per-minute 5',                      'No DSN key is called nope'],
  ] as const)('%s is one sentence', async (line, sentence) => {
    const { code, stdout, stderr } = await admin(`${line} --organization Acme`)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(sentence)
  })
})
