/** CPU time of one thread of this process, as Linux tells it (proc(5)). Node 20 has no call for it. */
import { readFileSync, readlinkSync } from 'node:fs'

/** The system's id of the calling thread; 0 where there is no such file. */
export function ownThreadId(): number {
  try {
    // `<process>/task/<thread>`
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1))
  } catch {
    return 0
  }
}

/** Milliseconds that the thread has run so far; undefined when the system does not tell or the thread is gone. */
export function threadCpuMs(threadId: number): number | undefined {
  if (threadId === 0) return undefined
  try {
    // The first number is nanoseconds on a core.
    const [ranNs] = readFileSync(`/proc/self/task/${threadId}/schedstat`, 'utf8').split(' ')
    return Number(ranNs) / 1e6
  } catch {
    return undefined
  }
}
