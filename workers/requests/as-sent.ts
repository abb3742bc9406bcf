/**
 * Takes the decisions of stack-trace rules out of a stored event, so that other rules can be tried
 * with the frames as the client sent them.
 */
import { type JsonObject, readObject } from '../normalize/values/read-value.ts'

const mark = '"orig_in_app"'

export function asSent(payload: Uint8Array): Uint8Array {
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength)
  if (!bytes.includes(mark)) return payload
  try {
    const event = readObject(JSON.parse(bytes.toString()))
    if (event === undefined) return payload
    for (const holder of [event, ...itemsOf(event['exception']), ...itemsOf(event['threads'])]) {
      const frames = readObject(readObject(holder)?.['stacktrace'])?.['frames']
      if (Array.isArray(frames)) for (const frame of frames) restore(readObject(frame))
    }
    return Buffer.from(JSON.stringify(event))
  } catch {
    // What is not valid is refused where it is normalised.
    return payload
  }
}

function restore(sent: JsonObject | undefined): void {
  if (sent === undefined || !('orig_in_app' in sent)) return
  const frame = sent as Record<string, unknown>
  frame['in_app'] = frame['orig_in_app']
  delete frame['orig_in_app']
}

function itemsOf(value: unknown): readonly unknown[] {
  const list = readObject(value)?.['values']
  return Array.isArray(list) ? list : []
}
