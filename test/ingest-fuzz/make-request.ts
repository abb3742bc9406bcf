/**
 * Requests to ingest that no client sends: hostile values in every field of every kind of item,
 * broken framing, changed bytes, unusual headers. The same seed makes the same requests.
 */
import { gzipSync } from 'node:zlib'
import { type Random, seededRandom } from '../../bench/load/random.ts'
import { exportLogsRequest } from '../../bench/otlp/otlp-messages.ts'
import { hostileTexts } from '../fixtures/hostile-texts.ts'
import { cspReport, itemTemplates, replaced, templateId } from '../fixtures/item-templates.ts'
import { SeededBytes } from '../fixtures/seeded-bytes.ts'

export interface FuzzRequest {
  readonly what: string
  /** The path after `/api/<project>/`; `<key>` stands for the public key. */
  readonly path: string
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

const itemsPerEnvelopeMax = 12
const changedBytesMax = 8

export class FuzzRequests {
  readonly #random: Random
  readonly #bytes: SeededBytes

  constructor(seed: number) {
    this.#random = seededRandom(seed)
    this.#bytes = new SeededBytes(seed + 1)
  }

  next(): FuzzRequest {
    const request = this.#random.pick([
      () => this.#envelope(),
      () => this.#envelope(),
      () => this.#store(),
      () => this.#otlpJson(),
      () => this.#otlpProtobuf(),
      () => this.#cron(),
      () => this.#security(),
    ])()
    return this.#disturbed(request)
  }

  #envelope(): FuzzRequest {
    const items = Array.from({ length: 1 + this.#random.below(itemsPerEnvelopeMax) }, () => {
      const [type, payload] = this.#pick(itemTemplates)
      const body = Buffer.from(this.#ownId(this.#changed(payload)))
      const header = this.#changed({ type, length: body.length, content_type: 'application/json' })
      const isHostile = this.#random.below(10) === 0
      return `${isHostile ? header : `{"type":"${type}","length":${body.length}}`}\n${body}`
    })
    const header = { sent_at: '2026-01-01T00:00:00Z', event_id: templateId, sdk: { name: 'a' } }
    const first = this.#random.below(5) === 0 ? this.#changed(header) : '{}'
    return post(
      'envelope',
      'envelope/?sentry_key=<key>',
      `${this.#ownId(first)}\n${items.join('\n')}`,
    )
  }

  #store(): FuzzRequest {
    const [, payload] = itemTemplates[0]!
    return post('store', 'store/?sentry_key=<key>', this.#ownId(this.#changed(payload)))
  }

  #otlpJson(): FuzzRequest {
    const body = this.#changed({
      resourceLogs: [
        {
          resource: { attributes: [this.#attribute()] },
          scopeLogs: [{ logRecords: [this.#logRecord()] }],
        },
      ],
    })
    const headers = { 'Content-Type': 'application/json' }
    return { ...post('OTLP JSON', 'otlp/v1/logs?sentry_key=<key>', body), headers }
  }

  #otlpProtobuf(): FuzzRequest {
    const bytes = exportLogsRequest.encode({
      resourceLogs: [{ scopeLogs: [{ logRecords: [this.#logRecord(), this.#logRecord()] }] }],
    })
    const headers = { 'Content-Type': 'application/x-protobuf' }
    const body = Buffer.from(bytes.finish())
    const changed = this.#bytes.flipped(body, this.#random.below(changedBytesMax))
    return { ...post('OTLP protobuf', 'otlp/v1/logs?sentry_key=<key>', changed), headers }
  }

  #cron(): FuzzRequest {
    const value = this.#urlValue()
    const slug = this.#random.below(3) === 0 ? this.#urlValue() : `job-${this.#random.below(50)}`
    const name = this.#random.pick(['status', 'environment', 'duration', 'check_in_id', 'schedule'])
    const path = `cron/${slug}/<key>/?status=ok&${name}=${value}`
    return { what: 'check-in by URL', path, method: 'GET', headers: {}, body: Buffer.alloc(0) }
  }

  #security(): FuzzRequest {
    const path = `security/?sentry_key=<key>&sentry_release=${this.#urlValue()}&sentry_environment=${this.#urlValue()}`
    const headers = { 'Content-Type': 'application/csp-report' }
    return { ...post('security report', path, this.#changed(cspReport)), headers }
  }

  /**
   * Leaves most requests unchanged; the others are cut, get changed bytes, or declare a wrong
   * encoding.
   */
  #disturbed(request: FuzzRequest): FuzzRequest {
    const { body, headers } = request
    switch (this.#random.below(8)) {
      case 0:
        return { ...request, body: body.subarray(0, this.#random.below(body.length + 1)) }
      case 1:
        return body.length === 0
          ? request
          : { ...request, body: this.#bytes.flipped(body, 1 + this.#random.below(changedBytesMax)) }
      case 2:
        return {
          ...request,
          body: gzipSync(body),
          headers: { ...headers, 'Content-Encoding': 'gzip' },
        }
      case 3:
        return {
          ...request,
          headers: {
            ...headers,
            'Content-Encoding': this.#pick(['gzip', 'zstd', 'br', 'deflate', 'x']),
          },
        }
      default:
        return request
    }
  }

  /** Replaces one of the payload's values by a hostile value. */
  #changed(value: object): string {
    const texts = [...replaced(value, this.#pick(hostileTexts))]
    return texts[this.#random.below(texts.length)] ?? '{}'
  }

  #logRecord(): object {
    return {
      timeUnixNano: this.#pick(['1700000000000000000', '0', '18446744073709551615']),
      severityNumber: this.#pick([17, 0, 9, 24, 1000]),
      body: { stringValue: JSON.parse(this.#pick(hostileTexts.slice(0, 9))) },
      traceId: Buffer.from(templateId, 'hex'),
      attributes: [this.#attribute()],
    }
  }

  #attribute(): object {
    return {
      key: this.#pick(['exception.message', 'exception.stacktrace', 'service.name', '\0']),
      value: { stringValue: 'a\0b\ud800' },
    }
  }

  #ownId(text: string): string {
    return text.replaceAll(templateId, this.#random.hex(32))
  }

  #urlValue(): string {
    return this.#pick([
      '%00',
      'a%00b',
      '%ed%a0%80',
      '%ff',
      '%1b[2J',
      '-1',
      '1e999',
      '',
      'x'.repeat(3_000),
      '..%2f..',
      '%',
    ])
  }

  #pick<T>(choices: readonly T[]): T {
    return choices[this.#random.below(choices.length)] as T
  }
}

function post(what: string, path: string, body: string | Buffer): FuzzRequest {
  return { what, path, method: 'POST', headers: {}, body: Buffer.from(body) }
}
