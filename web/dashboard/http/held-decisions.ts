/**
 * Decisions that the API cannot undo. The dashboard sends each of them some seconds later, and
 * until then undo costs nothing. Leaving the page sends what is held. While the server is away a
 * decision stays held, is sent again, and can still be undone.
 */
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { doneMs, showToast } from '../shell/toast-list.ts'
import { asProblem, messageOf, type Problem } from './problem.ts'
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
  /** Attempts that failed because the server is away. */
  readonly failures: number
}

/** As long as the toast offers undo. */
export const holdMs = doneMs
/** With the pauses below, about eight minutes. */
export const failuresMax = 20
const retryMsMin = 2_000
const retryMsMax = 30_000

/** Items that a person has decided on, sent or not. */
export const decidedIds = signal<ReadonlySet<string>>(new Set())
/** Decisions that can be undone, oldest first. */
export const heldIds = signal<readonly string[]>([])
const held = new Map<string, Held>()

export function holdDecision(decision: HeldDecision): void {
  decidedIds.value = new Set([...decidedIds.value, decision.id])
  hold(decision, 0, holdMs)
}

function hold(decision: HeldDecision, failures: number, ms: number): void {
  const { id } = decision
  const timer = setTimeout(() => void sendHeld(id), ms)
  held.set(id, { ...decision, timer, failures })
  heldIds.value = [...held.keys()]
  warnOfLeaving()
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
  const { send, refetch } = decision
  try {
    await send()
  } catch (error) {
    if (holdAgain(decision, asProblem(error))) return
    show(id)
    report(decision, error)
  }
  await invalidateReads(...refetch)
}

/** False when another attempt would end the same. */
function holdAgain(decision: Held, problem: Problem | undefined): boolean {
  const { id, failures } = decision
  if (problem?.mayPass !== true || failures + 1 >= failuresMax) return false
  const backoffMs = Math.min(retryMsMax, retryMsMin * 2 ** failures)
  hold(decision, failures + 1, Math.max(backoffMs, (problem.retryAfterSeconds ?? 0) * 1_000))
  if (failures === 0) {
    showToast({
      kind: 'error',
      text: `${nameOf(decision)}${problem.message} The decision is sent when the server answers again.`,
      action: { label: 'Undo', run: () => void undoHeld(id) },
    })
  }
  return true
}

function report(decision: HeldDecision, error: unknown): void {
  const requestId = asProblem(error)?.requestId
  showToast({
    kind: 'error',
    text: `${nameOf(decision)}${messageOf(error)}`,
    ...(requestId === undefined ? {} : { requestId }),
  })
}

function nameOf({ title }: HeldDecision): string {
  return title === undefined ? '' : `${title}: `
}

let isWarning = false

/** The browser asks before it closes a tab with decisions that the server does not take now. */
function warnOfLeaving(): void {
  const isNeeded = [...held.values()].some(({ failures }) => failures > 0)
  if (isNeeded === isWarning) return
  isWarning = isNeeded
  if (isNeeded) addEventListener('beforeunload', askBeforeUnload)
  else removeEventListener('beforeunload', askBeforeUnload)
}

function askBeforeUnload(event: BeforeUnloadEvent): void {
  event.preventDefault()
}

function release(id: string): Held | undefined {
  const decision = held.get(id)
  if (decision === undefined) return undefined
  clearTimeout(decision.timer)
  held.delete(id)
  heldIds.value = [...held.keys()]
  warnOfLeaving()
  return decision
}

function show(id: string): void {
  decidedIds.value = new Set([...decidedIds.value].filter((other) => other !== id))
}
