/**
 * The stock OpenTelemetry exporters against the running product, and requests that they do not
 * send.
 */
import { describe, expect, test } from 'vitest'
import { exportLogsRequest } from '../../bench/otlp/otlp-messages.ts'
import { runProgram } from '../fixtures/processes/run-program.ts'
import { commonProduct } from '../fixtures/processes/running-product.ts'
import type { TestProject } from '../fixtures/test-project.ts'

const product = commonProduct()

const traceId = '0af7651916cd43dd8448eb211c80319c'

/** The report that test/clients/otlp-logs.mjs prints. */
interface ExporterReport {
  readonly statuses: readonly number[]
  readonly encodings: readonly string[]
  /** Result code of each export; 0 is success. */
  readonly results: readonly number[]
  readonly warnings: readonly string[]
}

async function run(
  project: TestProject,
  { exporter = '@opentelemetry/exporter-logs-otlp-http', compression = 'none', scenario = 'one' },
): Promise<ExporterReport> {
  const args = ['test/clients/otlp-logs.mjs', exporter, compression, scenario]
  const end = await runProgram(process.execPath, args, {
    OTEL_EXPORTER_OTLP_ENDPOINT: `${product().stack.urls.ingest}/api/${project.dsnId}/otlp`,
    OTEL_EXPORTER_OTLP_HEADERS: `x-sentry-auth=sentry sentry_key=${project.publicKey}`,
  })
  expect(end).toMatchObject({ code: 0, stderr: '' })
  return JSON.parse(end.stdout)
}

describe.each([
  ['JSON', '@opentelemetry/exporter-logs-otlp-http'],
  ['protobuf', '@opentelemetry/exporter-logs-otlp-proto'],
])('the exporter of %s', (_name, exporter) => {
  test.each(['none', 'gzip'])(
    'a record of error severity becomes an issue: %s',
    async (compression) => {
      const project = await product().projectAtOnce('otlp')
      const report = await run(project, { exporter, compression })
      expect(report).toEqual({
        statuses: [200],
        encodings: [compression === 'none' ? '' : 'gzip'],
        results: [0],
        warnings: [],
      })
      await project.hasEvents(1)
      expect(await project.issue()).toMatchObject({
        title: 'RangeError: card 4711 was declined',
        level: 'error',
        platform: 'node',
        first_release: 'shop@1.4.0',
        environments: ['staging'],
        culprit: '/orders/:id',
      })
      const event = await project.onlyEvent()
      expect(event).toMatchObject({
        release: 'shop@1.4.0',
        environment: 'staging',
        user: { id: '17' },
        tags: { 'queue.name': 'orders', service: 'shop' },
        payload: {
          server_name: 'web-17',
          logger: 'shop.orders',
          transaction: '/orders/:id',
          logentry: { formatted: 'order 42 was not placed' },
          exception: { values: [{ type: 'RangeError', value: 'card 4711 was declined' }] },
          contexts: {
            trace: { trace_id: traceId, span_id: 'b7ad6b7169203331' },
            resource: { 'service.name': 'shop' },
          },
          sdk: { name: 'opentelemetry.nodejs', version: '2.12.1' },
        },
      })
      const { exception } = event.payload as {
        exception: { values: { stacktrace: { frames: { function: string; in_app: boolean }[] } }[] }
      }
      expect(exception.values[0]?.stacktrace.frames.at(-1)).toMatchObject({
        function: 'chargeCard',
      })
      await project.hasAccounting({
        'accepted error': 1,
        'unsupported unsupported:log log_item': 4,
      })
    },
  )

  test('a repeated batch is stored once', async () => {
    const project = await product().projectAtOnce('otlp twice')
    expect(await run(project, { exporter, scenario: 'twice' })).toMatchObject({
      statuses: [200, 200],
      results: [0, 0],
    })
    await project.hasAccounting({
      'accepted error': 1,
      'duplicate error': 1,
      'unsupported unsupported:log log_item': 8,
    })
    await project.hasEvents(1)
  })

  test('records below error are counted, and the exporter gets no failure', async () => {
    const project = await product().projectAtOnce('otlp info')
    const report = await run(project, { exporter, scenario: 'others' })
    expect(report).toMatchObject({ statuses: [200], results: [0], warnings: [] })
    const accounting = { 'unsupported unsupported:log log_item': 100 }
    await project.hasAccounting(accounting)
    expect(await project.accounting('opentelemetry.nodejs')).toEqual(accounting)
  })

  test('a batch that exceeds the quota in part is a partial success, and is not sent again', async () => {
    const project = await product().projectAtOnce('otlp quota')
    await limit(project, 2)
    const report = await run(project, { exporter, scenario: 'three' })
    expect(report).toMatchObject({ statuses: [200], results: [0] })
    expect(report.warnings.join()).toContain('events over the quota')
    await project.hasEvents(2)
    const accounting = { 'accepted error': 2, 'over_quota error': 1 }
    await project.hasAccounting(accounting)
    expect(await project.accounting('opentelemetry.nodejs')).toEqual(accounting)
  })

  test('a batch wholly over quota gets a 429', async () => {
    const project = await product().projectAtOnce('otlp over')
    await limit(project, 0)
    const report = await run(project, { exporter })
    expect(new Set(report.statuses)).toEqual(new Set([429]))
    expect(report.results).toEqual([1])
  })
})

async function limit(project: TestProject, monthlyEvents: number): Promise<void> {
  const flags = ['--project', project.id, '--monthly-events', String(monthlyEvents)]
  await product().adminJsonOfDemo('quota', 'set', ...flags)
}

/**
 * Node 20 cannot compress zstd: this is one raw block in a frame (RFC 8878), of up to 255 bytes.
 */
function storedZstd(bytes: Uint8Array): Buffer {
  const blockHeader = (bytes.length << 3) | 1
  const head = [0x28, 0xb5, 0x2f, 0xfd, 0x20, bytes.length]
  const block = [blockHeader & 0xff, (blockHeader >> 8) & 0xff, blockHeader >> 16]
  return Buffer.concat([Buffer.from([...head, ...block]), bytes])
}

test('an exporter with an unknown key gets an error and gives up', async () => {
  const project = await product().projectAtOnce('otlp key')
  const stranger = Object.create(project, { publicKey: { value: '9'.repeat(32) } }) as TestProject
  expect(await run(stranger, {})).toMatchObject({ statuses: [403], results: [1] })
})

test('accepts zstd, and the path with `integration`', async () => {
  const project = await product().projectAtOnce('otlp zstd')
  const logRecords = [
    { timeUnixNano: '1795215589727351700', severityNumber: 21, body: { stringValue: 'no disk' } },
  ]
  const request = { resourceLogs: [{ scopeLogs: [{ logRecords }] }] }
  const bytes = exportLogsRequest.encode(exportLogsRequest.fromObject(request)).finish()
  const answer = await project.send({
    path: `/api/${project.dsnId}/integration/otlp/v1/logs`,
    headers: {
      'x-sentry-auth': `sentry sentry_key=${project.publicKey}`,
      'content-type': 'application/x-protobuf',
      'content-encoding': 'zstd',
    },
    body: storedZstd(bytes),
  })
  expect(answer).toMatchObject({ status: 200 })
  await project.hasEvents(1)
  expect(await project.issue()).toMatchObject({ title: 'no disk', level: 'fatal' })
})
