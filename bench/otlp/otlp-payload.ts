/**
 * Bodies as the exporter of a service sends them: one resource, one scope, and access log records
 * with a body, attributes and a trace. A seed makes every run use the same bytes.
 */
import { exportLogsRequest } from './otlp-messages.ts'

export interface OtlpPayload {
  readonly recordCount: number
  readonly protobuf: Buffer
  readonly json: Buffer
}

const levels = [
  [9, 'INFO'],
  [9, 'INFO'],
  [5, 'DEBUG'],
  [13, 'WARN'],
] as const
const firstNano = 1_795_215_589_000_000_000n

/** @param errorEvery one record in this many is an error; 0 for none. */
export function otlpPayload(recordCount: number, errorEvery: number): OtlpPayload {
  const records = Array.from({ length: recordCount }, (_, index) => record(index, errorEvery))
  const request = (logRecords: readonly object[]) => ({
    resourceLogs: [
      {
        resource: { attributes: resourceAttributes },
        scopeLogs: [{ scope: { name: 'http.access', version: '1.4.0' }, logRecords }],
      },
    ],
  })
  const binary = request(
    records.map((one) => ({
      ...one,
      traceId: Buffer.from(one.traceId, 'hex'),
      spanId: Buffer.from(one.spanId, 'hex'),
    })),
  )
  return {
    recordCount,
    protobuf: Buffer.from(exportLogsRequest.encode(exportLogsRequest.fromObject(binary)).finish()),
    json: Buffer.from(JSON.stringify(request(records))),
  }
}

const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })
const integer = (key: string, intValue: number) => ({ key, value: { intValue } })

const resourceAttributes = [
  text('service.name', 'checkout'),
  text('service.version', '2.7.1'),
  text('deployment.environment.name', 'production'),
  text('host.name', 'web-17'),
  text('telemetry.sdk.language', 'nodejs'),
  text('telemetry.sdk.name', 'opentelemetry'),
  text('telemetry.sdk.version', '2.12.1'),
]

function record(index: number, errorEvery: number) {
  const isError = errorEvery > 0 && index % errorEvery === errorEvery - 1
  const [severityNumber, severityText] = isError ? [17, 'ERROR'] : levels[index % levels.length]!
  const order = 100_000 + index * 7
  return {
    timeUnixNano: String(firstNano + BigInt(index) * 1_234_567n),
    observedTimeUnixNano: String(firstNano + BigInt(index) * 1_234_567n + 400_000n),
    severityNumber,
    severityText,
    body: { stringValue: `GET /orders/${order} answered in ${index % 90} ms` },
    attributes: [
      text('http.request.method', 'GET'),
      text('http.route', '/orders/:id'),
      integer('http.response.status_code', isError ? 500 : 200),
      text('url.full', `https://shop.example.test/orders/${order}?from=mail`),
      text('user_agent.original', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0'),
      text('client.address', `203.0.113.${index % 250}`),
      text('user.id', `user-${order % 9973}`),
      integer('http.response.body.size', 1000 + (index % 5000)),
      ...(isError
        ? [
            text('exception.type', 'TimeoutError'),
            text('exception.message', `order ${order} timed out`),
          ]
        : []),
    ],
    flags: 1,
    traceId: (BigInt(order) * 0x9e3779b97f4a7c15n).toString(16).padStart(32, 'a').slice(-32),
    spanId: (BigInt(order) * 0x9e3779b1n).toString(16).padStart(16, 'b').slice(-16),
  }
}
