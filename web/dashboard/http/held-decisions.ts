/**
 * Decisions that the API cannot undo. The dashboard sends each of them some seconds later, and
 * until then undo costs nothing. Leaving the page sends what is held.
 */
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { doneMs, showToast } from '../shell/toast-list.ts'
import { asProblem } from './problem.ts'
import { invalidateReads } from './query-client.ts'

export interface HeldDecision {
  /** Of the item, which lists leave out from now on; it returns with undo or an error. */
  readonly id: string
  readonly send: () => Promise<unknown>
  /** Operations whose cached reads are fetched again after it was sent. */
  readonly refetch: readonly string[]
  /** Names the item in the message of an error. */
  readonly title?: string
}

interface Held extends HeldDecision {
  readonly timer: ReturnType<typeof setTimeout>
}

/** As long as the toast offers undo. */
export const holdMs = doneMs

/** Items that a person has decided on, sent or not. */
export const decidedIds = signal<ReadonlySet<string>>(new Set())
/** Decisions that can be undone, oldest first. */
export const heldIds = signal<readonly string[]>([])
const held = new Map<string, Held>()

export function holdDecision(decision: HeldDecision): void {
  const { id } = decision
  decidedIds.value = new Set([...decidedIds.value, id])
  const timer = setTimeout(() => void sendHeld(id), holdMs)
  held.set(id, { ...decision, timer })
  heldIds.value = [...held.keys()]
}

/** False: the decision has been sent. */
export function undoHeld(id: string): boolean {
  if (release(id) === undefined) return false
  show(id)
  return true
}

/** With a toast that says what was decided and offers undo. */
export function decideWithUndo(decision: HeldDecision, text: string): void {
  holdDecision(decision)
  const undo = () => {
    if (undoHeld(decision.id)) return
    showToast({ kind: 'error', text: 'It is too late to undo: the decision is stored.' })
  }
  showToast({ kind: 'done', text, action: { label: 'Undo', run: undo } })
}

export async function sendAllHeld(): Promise<void> {
  await Promise.all([...held.keys()].map(sendHeld))
}

/** For the page that holds decisions: sends them when the person leaves it or hides the tab. */
export function useHeldDecisions(): void {
  useEffect(() => {
    const leave = () => {
      if (document.visibilityState === 'hidden') void sendAllHeld()
    }
    document.addEventListener('visibilitychange', leave)
    return () => {
      document.removeEventListener('visibilitychange', leave)
      void sendAllHeld()
    }
  }, [])
}

async function sendHeld(id: string): Promise<void> {
  const decision = release(id)
  if (decision === undefined) return
  const { send, refetch, title } = decision
  try {
    await send()
  } catch (error) {
    show(id)
    const problem = asProblem(error)
    const text = problem?.message ?? String(error)
    showToast({
      kind: 'error',
      text: title === undefined ? text : `${title}: ${text}`,
      ...(problem?.requestId === undefined ? {} : { requestId: problem.requestId }),
    })
  }
  await invalidateReads(...refetch)
}

function release(id: string): Held | undefined {
  const decision = held.get(id)
  if (decision === undefined) return undefined
  clearTimeout(decision.timer)
  held.delete(id)
  heldIds.value = [...held.keys()]
  return decision
}

function show(id: string): void {
  decidedIds.value = new Set([...decidedIds.value].filter((other) => other !== id))
}
