/**
 * A change that the person sees at once: the cache is edited, the request is sent, and a toast says
 * what happened, with undo. When the request fails, the edit is reverted and the toast says why.
 */
import { showToast } from '../shell/toast-list.ts'
import { asProblem, messageOf } from './problem.ts'
import { invalidateReads } from './query-client.ts'

export interface Change<T> {
  /** Sends the change. */
  readonly send: () => Promise<T>
  /** Edits the cache; the function that it returns restores it. */
  readonly apply?: () => () => void
  /** What happened, for the toast: `Resolved SHOP-12`. Without it there is no toast. */
  readonly done?: string | ((result: T) => string)
  /** Sends the opposite. */
  readonly undo?: (result: T) => Promise<unknown>
  /** Operations whose cached reads are fetched again afterwards: `GET /api/v1/me`. */
  readonly refetch?: readonly string[]
}

/** Undefined when it failed; the person has been told. */
export async function runChange<T>(change: Change<T>): Promise<T | undefined> {
  const restore = change.apply?.()
  let result: T
  try {
    result = await change.send()
  } catch (error) {
    restore?.()
    const problem = asProblem(error)
    showToast({
      kind: 'error',
      text: messageOf(error),
      ...(problem?.requestId === undefined ? {} : { requestId: problem.requestId }),
      action: { label: 'Try again', run: () => void runChange(change) },
    })
    return undefined
  }
  void invalidateReads(...(change.refetch ?? []))
  const { done, undo } = change
  if (done === undefined) return result
  const text = typeof done === 'function' ? done(result) : done
  if (undo === undefined) showToast({ kind: 'done', text })
  else {
    const send = async () => {
      restore?.()
      await runChange({ send: () => undo(result), done: 'Undone.', refetch: change.refetch ?? [] })
    }
    showToast({ kind: 'done', text, action: { label: 'Undo', run: () => void send() } })
  }
  return result
}
