/**
 * Puts the known frames of an event, which were cut from its text, into its parsed payload. A frame
 * in which scrubbing has nothing to remove stays shared; of others the event gets an object of its
 * own, because scrubbing changes it.
 */
import type { Draft } from '../draft.ts'
import { type JsonObject, readObject } from '../values/read-value.ts'
import { SharedFrame } from './shared-frame.ts'

export function putBackFrames({ raw, payload, cuts }: Draft): void {
  if (cuts.length === 0) return
  const frameOf = (item: unknown): SharedFrame | JsonObject | unknown => {
    if (typeof item !== 'number') return item
    const frame = cuts[item]?.value
    if (!(frame instanceof SharedFrame)) return item
    return frame.isClean(raw.scrub) ? frame : frame.open()
  }
  for (const holder of [
    payload,
    ...itemsOf(payload['exception']),
    ...itemsOf(payload['threads']),
  ]) {
    const stack = readObject(readObject(holder)?.['stacktrace']) as
      | Record<string, unknown>
      | undefined
    const { frames } = stack ?? {}
    if (stack !== undefined && Array.isArray(frames)) stack['frames'] = frames.map(frameOf)
  }
}

function itemsOf(value: unknown): readonly unknown[] {
  const list = Array.isArray(value) ? value : readObject(value)?.['values']
  return Array.isArray(list) ? list : []
}
