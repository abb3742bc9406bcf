/**
 * The stock OpenTelemetry SDK for logs, configured by `OTEL_EXPORTER_OTLP_ENDPOINT` and
 * `OTEL_EXPORTER_OTLP_HEADERS` as users do it. Arguments: the exporter's package, the compression,
 * the scenario.
 */
import { subscribe } from 'node:diagnostics_channel'
import { writeSync } from 'node:fs'
import { context, DiagLogLevel, diag, TraceFlags, trace } from '@opentelemetry/api'
import { SeverityNumber } from '@opentelemetry/api-logs'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs'

const [exporterPackage, compression, scenario] = process.argv.slice(2)
const report = { statuses: [], encodings: [], results: [], warnings: [] }
process.on('exit', () => writeSync(1, `${JSON.stringify(report)}\n`))

subscribe('http.client.response.finish', ({ request, response }) => {
  report.statuses.push(response.statusCode)
  report.encodings.push(request.getHeader('content-encoding') ?? '')
})
const note = (...parts) => report.warnings.push(parts.map(String).join(' '))
const silent = () => {}
diag.setLogger(
  { error: note, warn: note, info: silent, debug: silent, verbose: silent },
  DiagLogLevel.WARN,
)

const { OTLPLogExporter } = await import(exporterPackage)
const exporter = new OTLPLogExporter({ compression, timeoutMillis: 3000 })
const send = exporter.export.bind(exporter)
/**
 * Whether to send the records of the last batch once more, as an exporter does after a lost
 * response.
 */
let sendsTwice = scenario === 'twice'
exporter.export = (records, done) =>
  send(records, (result) => {
    report.results.push(result.code)
    if (!sendsTwice) return done(result)
    sendsTwice = false
    exporter.export(records, done)
  })

const provider = new LoggerProvider({
  resource: resourceFromAttributes({
    'service.name': 'shop',
    'service.version': 'shop@1.4.0',
    'deployment.environment.name': 'staging',
    'host.name': 'web-17',
    'telemetry.sdk.name': 'opentelemetry',
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.version': '2.12.1',
  }),
  processors: [new BatchLogRecordProcessor({ exporter, scheduledDelayMillis: 60_000 })],
})
const logger = provider.getLogger('shop.orders', '2.0.0')

function chargeCard(number) {
  throw new RangeError(`card ${number} was declined`)
}

function logFailure(order) {
  const spanContext = {
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId: 'b7ad6b7169203331',
    traceFlags: TraceFlags.SAMPLED,
  }
  try {
    chargeCard(4711)
  } catch (error) {
    logger.emit({
      context: trace.setSpanContext(context.active(), spanContext),
      severityNumber: SeverityNumber.ERROR,
      severityText: 'ERROR',
      body: `order ${order} was not placed`,
      attributes: {
        'exception.type': error.name,
        'exception.message': error.message,
        'exception.stacktrace': error.stack,
        'queue.name': 'orders',
        'user.id': '17',
        'http.route': '/orders/:id',
      },
    })
  }
}

function logOthers(count) {
  for (let index = 0; index < count; index += 1) {
    logger.emit({ severityNumber: SeverityNumber.INFO, body: `order ${index} was placed` })
  }
}

switch (scenario) {
  case 'one':
  case 'twice':
    logOthers(3)
    logFailure(42)
    logger.emit({ severityNumber: SeverityNumber.WARN4, body: { note: 'slow', ms: 900 } })
    break
  case 'three':
    for (const order of [1, 2, 3]) logFailure(order)
    break
  case 'others':
    logOthers(100)
    break
}
await provider.shutdown()
