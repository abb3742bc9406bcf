/**
 * The metrics of the running product, whose processes run on a machine with a clock that is forty
 * days ahead of Postgres.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type MetricProcess,
  metricProcesses,
  metricsOfProcess,
} from '#schemas/metrics/catalogue.ts'
import { RunningProduct } from '../fixtures/processes/running-product.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'

const aheadSeconds = 40 * 86_400

let product: RunningProduct
beforeAll(async () => {
  const shift = `clock.read=shift:${aheadSeconds * 1000}`
  product = await RunningProduct.start({ env: { SLUICE_FAILPOINTS: shift } })
})
afterAll(() => product?.stop())

async function scrape(process: MetricProcess): Promise<string> {
  return (await fetch(product.stack.demo.metricsUrls[process])).text()
}

/** Samples of a metric, by their labels as text. */
async function samples(process: MetricProcess, name: string): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  for (const line of (await scrape(process)).split('\n')) {
    const [, labels, value] = new RegExp(`^${name}(?:{(.*)})? (\\S+)$`).exec(line) ?? []
    if (value !== undefined) found.set(labels ?? '', Number(value.replace('+Inf', 'Infinity')))
  }
  return found
}

describe.each(metricProcesses)('%s', (process) => {
  test('has exactly the metrics of the catalogue, with their help, type and labels', async () => {
    const lines = (await scrape(process)).split('\n')
    const ofNode = /^# (?:HELP|TYPE) (?:process|nodejs)_/
    const described = lines.filter((line) => line.startsWith('# ') && !ofNode.test(line))
    const expected = metricsOfProcess(process).filter(
      ({ name, optional }) =>
        optional === undefined || described.some((line) => line.includes(` ${name} `)),
    )
    expect(described.sort()).toEqual(
      expected
        .flatMap(({ name, help, type }) => [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`])
        .sort(),
    )
    for (const { name, labels } of expected) {
      const pattern = new RegExp(`^${name}(?:_bucket|_sum|_count)?(?:{(.*)})? `)
      for (const line of lines) {
        const [found, text = ''] = pattern.exec(line) ?? []
        if (found === undefined) continue
        const names = [...text.matchAll(/(\w+)="/g)].map(([, label]) => label)
        expect(names.filter((label) => label !== 'le').sort()).toEqual([...labels].sort())
      }
    }
  })

  test('names its version and installation, its free space and the error of its clock', async () => {
    const { rows } = await product.postgres.query('select id from installation')
    const [build] = await samples(process, 'sluice_build_info')
    expect(build).toEqual([
      expect.stringMatching(
        new RegExp(`^process="${process}",version="[\\d.]+",installation="${rows[0].id}"$`),
      ),
      1,
    ])
    const free = await samples(process, 'sluice_disk_free_bytes')
    expect(free.get('folder="data"')).toBeGreaterThan(0)
    const offset = (await samples(process, 'sluice_clock_offset_seconds')).get('')
    expect(Math.abs(offset! - aheadSeconds)).toBeLessThan(60)
  })
})

test('events are stored with the right time, in the right month and once', async () => {
  const project = await product.projectAtOnce('a wrong clock')
  const body = `{"event_id":"${'7'.repeat(32)}"}\n{"type":"event"}\n{"message":"on time"}`
  const sentMs = Date.now()
  expect(await project.send({ body })).toMatchObject({ status: 200 })
  await project.hasEvents(1)
  const [event] = await product.rowsOf<{ ms: number }>(
    `select toUnixTimestamp64Milli(received_at) as ms from events where project_id = {project:UInt64}`,
    { project: project.dsnId },
  )
  expect(Math.abs(Number(event!.ms) - sentMs)).toBeLessThan(60_000)
  const { rows } = await product.postgres.query(
    `select to_char(period, 'YYYY-MM') as month from quota_usage where project_id = $1`,
    [project.dsnId],
  )
  expect(rows).toEqual([{ month: new Date(sentMs).toISOString().slice(0, 7) }])
  expect(await project.send({ body })).toMatchObject({ status: 200 })
  await project.hasAccounting({ 'accepted error': 1, 'duplicate error': 1 })
})

test('dropped items are counted by outcome and reason, and invented types as other', async () => {
  const project = await product.projectAtOnce('dropped')
  const body = '{}\n{"type":"transaction"}\n{}\n{"type":"invented_by_a_client"}\n{}'
  expect(await project.send({ body })).toMatchObject({ status: 200 })
  await waitUntil('both items', async () => {
    const dropped = await samples('workers', 'workers_items_dropped_total')
    return (
      dropped.get('outcome="unsupported",reason="unsupported:transaction"') === 1 &&
      dropped.get('outcome="unsupported",reason="other"') === 1
    )
  })
})

test('the workers report lag, storages and jobs, and one mailer the emails that wait', async () => {
  const labelsOf = async (name: string) => [...(await samples('workers', name)).keys()]
  await waitUntil('lag', async () => (await labelsOf('workers_lag_seconds')).length === 4)
  await waitUntil('storages', async () => {
    const folders = (await labelsOf('sluice_disk_free_bytes')).join(' ')
    return /"clickhouse:/.test(folders) && /"nats:INGEST"/.test(folders)
  })
  await waitUntil('jobs', async () =>
    (await labelsOf('workers_jobs_failed')).includes('task="expire_contacts"'),
  )
  expect([...(await samples('mailer', 'mailer_oldest_email_seconds')).keys()]).toEqual([
    'lane="urgent"',
    'lane="notifications"',
    'lane="campaigns"',
  ])
  expect((await samples('ingest', 'ingest_log_limit_bytes')).get('')).toBeGreaterThan(0)
})
