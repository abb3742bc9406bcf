/**
 * Lets queries of the embedded ClickHouse go before its merges where cores are short. Merges have
 * threads of their own, and Linux knows a priority for each thread.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { setPriority } from 'node:os'

/**
 * A third of the CPU time of a thread that answers a query. Merges must keep up with inserts: with
 * a thousand parts in a week, ClickHouse delays inserts.
 */
const niceness = 5
const threadName = 'MergeMutate'
const tasks = '/proc/self/task'

/** For the threads that have begun by now. Does nothing on other systems. */
export function lowerMergePriority(): void {
  if (process.platform !== 'linux') return
  for (const id of readdirSync(tasks)) {
    try {
      const name = readFileSync(`${tasks}/${id}/comm`, 'utf8').trim()
      if (name === threadName) setPriority(Number(id), niceness)
    } catch {
      // A thread that has ended meanwhile.
    }
  }
}
