/**
 * The API has no way back from a decision, so the dashboard sends it some seconds later: until then
 * undo costs nothing. Leaving the page sends what is held.
 */
import { signal } from '@preact/signals'

export interface HeldDecision {
  readonly id: string
  readonly send: () => Promise<unknown>
  /** It was sent or has failed: what is on the screen is read again. */
  readonly settled: (error: Error | undefined) => Promise<unknown> | unknown
}

interface Held extends HeldDecision {
  readonly timer: ReturnType<typeof setTimeout>
}

export const holdMs = 6_000

/** Items that a person has decided on, and which the list leaves out. */
export const decidedIds = signal<ReadonlySet<string>>(new Set())
const held = new Map<string, Held>()

/** Returns the function that takes the decision back; it says whether that was still possible. */
export function holdDecision(decision: HeldDecision): () => boolean {
  const { id } = decision
  decidedIds.value = new Set([...decidedIds.value, id])
  const timer = setTimeout(() => void sendHeld(id), holdMs)
  held.set(id, { ...decision, timer })
  return () => {
    const waiting = held.get(id)
    if (waiting === undefined) return false
    clearTimeout(waiting.timer)
    held.delete(id)
    show(id)
    return true
  }
}

export async function sendAllHeld(): Promise<void> {
  await Promise.all([...held.keys()].map(sendHeld))
}

async function sendHeld(id: string): Promise<void> {
  const decision = held.get(id)
  if (decision === undefined) return
  held.delete(id)
  clearTimeout(decision.timer)
  let failure: Error | undefined
  try {
    await decision.send()
  } catch (error) {
    failure = error as Error
  }
  await decision.settled(failure)
  show(id)
}

function show(id: string): void {
  decidedIds.value = new Set([...decidedIds.value].filter((other) => other !== id))
}
