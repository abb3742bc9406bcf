/** Texts of the payload that have columns of their own (`schemas/clickhouse/0009`). */
import { type StoredText, storedText } from '#schemas/stored-text.ts'

type ReadText = (payload: object | undefined) => StoredText

/** Anything but a text counts as absent, as in ClickHouse. */
function inPayload(...path: readonly string[]): ReadText {
  return (payload) => {
    let value: unknown = payload
    for (const name of path) {
      // No name that is read here exists on `Object.prototype`.
      if (typeof value !== 'object' || value === null) return absent
      value = (value as Readonly<Record<string, unknown>>)[name]
    }
    return typeof value === 'string' ? storedText(value) : absent
  }
}

const absent = storedText('')

/** By the name of the column, in the order of the columns. */
export const payloadTexts = {
  url: inPayload('request', 'url'),
  http_method: inPayload('request', 'method'),
  transaction: inPayload('transaction'),
  trace_id: inPayload('contexts', 'trace', 'trace_id'),
  os_name: inPayload('contexts', 'os', 'name'),
  browser_name: inPayload('contexts', 'browser', 'name'),
  device_model: inPayload('contexts', 'device', 'model'),
  runtime_name: inPayload('contexts', 'runtime', 'name'),
} as const satisfies Record<string, ReadText>
