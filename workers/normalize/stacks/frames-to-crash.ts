/**
 * The frames up to the instruction at which a native program stopped. A client that unwinds from
 * its own signal handler also lists the handler, often without names.
 */
import type { StoredFrame, StoredStack } from '../stored-event.ts'
import { addressText } from '../values/read-address.ts'

/** The instruction pointer of x86-64, x86 and ARM. */
const pointers = ['rip', 'eip', 'pc'] as const

export function framesToCrash(stack: StoredStack | undefined): readonly StoredFrame[] {
  if (stack === undefined) return []
  const { frames, registers } = stack
  if (registers === undefined) return frames
  const sent = registers as Readonly<Record<string, unknown>>
  const pointer = pointers.map((name) => addressText(sent[name])).find((text) => text !== '')
  if (pointer === undefined) return frames
  const index = frames.findLastIndex((frame) => frame.instruction_addr === pointer)
  return index === -1 || index === frames.length - 1 ? frames : frames.slice(0, index + 1)
}
